import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/**
 * Checks a folder of staged artifacts for what Maven Central demands, and that the BOM names all of them. Prints the size of each jar.
 *
 * <pre>java CheckStaged.java FOLDER VERSION signed|unsigned</pre>
 */
public final class CheckStaged {
    private static final List<String> CHECKSUMS = List.of("md5", "sha1", "sha256", "sha512");
    private static final Map<String, String> ALGORITHMS =
            Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512");
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");

    private final String version;
    private final boolean isSigned;
    private final Map<String, Path> folders = new TreeMap<>();
    private final List<String> problems = new ArrayList<>();

    private CheckStaged(Path repository, String version, boolean isSigned) throws IOException {
        this.version = version;
        this.isSigned = isSigned;
        try (Stream<Path> all = Files.walk(repository)) {
            all.filter(path -> path.toString().endsWith(".pom"))
                    .forEach(pom -> folders.put(pom.getParent().getParent().getFileName().toString(), pom.getParent()));
        }
    }

    public static void main(String[] arguments) throws Exception {
        var check = new CheckStaged(Path.of(arguments[0]), arguments[1], arguments[2].equals("signed"));
        check.all();
        check.problems.forEach(System.err::println);
        if (!check.problems.isEmpty()) {
            System.exit(1);
        }
        System.out.println(check.folders.size() + " artifacts have all that Maven Central demands"
                + (check.isSigned ? "" : ", but for signatures, which were not made"));
    }

    private void all() throws Exception {
        require(folders.size() > 2, "there is nothing staged");
        var jars = new TreeSet<String>();
        for (var staged : folders.entrySet()) {
            Path pom = file(staged.getKey(), ".pom");
            pom(staged.getKey());
            if (text(read(pom), "packaging").orElse("jar").equals("jar")) {
                jars.add(staged.getKey());
                jars(staged.getKey());
            }
            files(staged.getValue());
        }
        require(jars.equals(managed()), "couchjobs-bom names " + managed() + ", staged are " + jars);
    }

    private void pom(String artifact) throws Exception {
        Element pom = read(file(artifact, ".pom"));
        for (String path : List.of("name", "description")) {
            require(text(pom, path).isPresent(), artifact + ": the POM has no " + path + " of its own");
        }
        for (String path : List.of(
                "url",
                "licenses/license/name",
                "licenses/license/url",
                "developers/developer/name",
                "scm/url",
                "scm/connection",
                "scm/developerConnection")) {
            String value = inherited(pom, path);
            require(!value.isBlank() && !value.contains("${"), artifact + ": the POM's " + path + " is '" + value + "'");
            if (path.endsWith("url")) {
                require(value.startsWith("https://"), artifact + ": the POM's " + path + " is no https URL: " + value);
            }
        }
        String text = Files.readString(file(artifact, ".pom"));
        require(!text.contains("-SNAPSHOT"), artifact + ": the POM names a snapshot");
        require(!text.contains("<systemPath>"), artifact + ": the POM names a file of the machine it was built on");
    }

    private void jars(String artifact) throws Exception {
        for (String suffix : List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json")) {
            require(Files.exists(file(artifact, suffix)), artifact + ": there is no " + suffix);
        }
        Path jar = file(artifact, ".jar");
        ModuleDescriptor module = ModuleFinder.of(jar).findAll().iterator().next().descriptor();
        boolean isNamed = !module.isAutomatic() || manifest(jar).contains("Automatic-Module-Name: ");
        require(isNamed && module.name().startsWith("io.couchjobs"), artifact + ": the module is named " + module.name());
        if (!module.isAutomatic()) {
            osgi(artifact, module, new JarFile(jar.toFile()).getManifest().getMainAttributes());
        }
        System.out.printf("%-30s %6d KB  %s%n", artifact, (Files.size(jar) + 512) / 1024, module.name());
    }

    /** A bundle exports what the module does, and imports nothing that only the module itself has. */
    private void osgi(String artifact, ModuleDescriptor module, Attributes headers) {
        require(
                artifact.equals(headers.getValue("Bundle-SymbolicName")),
                artifact + ": the bundle is named " + headers.getValue("Bundle-SymbolicName"));
        var exported = new TreeSet<String>();
        module.exports().stream().filter(one -> !one.isQualified()).forEach(one -> exported.add(one.source()));
        require(
                packages(headers, "Export-Package").equals(exported),
                artifact + ": the bundle exports " + packages(headers, "Export-Package") + ", the module " + exported);
        var hidden = new TreeSet<>(module.packages());
        hidden.removeAll(exported);
        hidden.retainAll(packages(headers, "Import-Package"));
        require(hidden.isEmpty(), artifact + ": the bundle imports packages of its own: " + hidden);
    }

    /** The names in a header of packages, without their attributes, some of which have commas between quotes. */
    private static TreeSet<String> packages(Attributes headers, String name) {
        String header = Optional.ofNullable(headers.getValue(name)).orElse("").replaceAll("\"[^\"]*\"", "");
        var packages = new TreeSet<String>();
        for (String clause : header.split(",")) {
            packages.add(clause.replaceFirst(";.*", ""));
        }
        return packages;
    }

    private void files(Path folder) throws Exception {
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : (Iterable<Path>) all.sorted()::iterator) {
                String name = file.getFileName().toString();
                if (CHECKSUMS.stream().anyMatch(kind -> name.endsWith("." + kind)) || name.endsWith(".asc")) {
                    continue;
                }
                require(!isSigned || Files.exists(beside(file, "asc")), name + ": there is no signature");
                for (String kind : CHECKSUMS) {
                    checksum(file, kind);
                }
            }
        }
    }

    private void checksum(Path file, String kind) throws Exception {
        Path written = beside(file, kind);
        if (!Files.exists(written)) {
            problems.add(file.getFileName() + ": there is no " + kind);
            return;
        }
        byte[] digest = MessageDigest.getInstance(ALGORITHMS.get(kind)).digest(Files.readAllBytes(file));
        require(
                Files.readString(written).strip().equals(HexFormat.of().formatHex(digest)),
                file.getFileName() + ": the " + kind + " is another one");
    }

    private TreeSet<String> managed() throws Exception {
        var managed = new TreeSet<String>();
        Element bom = read(file("couchjobs-bom", ".pom"));
        require(child(bom, "parent").isEmpty(), "couchjobs-bom has a parent, whose versions it would hand on");
        child(bom, "dependencyManagement")
                .flatMap(management -> child(management, "dependencies"))
                .stream()
                .flatMap(CheckStaged::children)
                .forEach(dependency -> managed.add(text(dependency, "artifactId").orElse("")));
        return managed;
    }

    /** The value in the POM, or else in its parent. */
    private String inherited(Element pom, String path) throws Exception {
        Optional<Element> parent = child(pom, "parent");
        Optional<String> own = text(pom, path);
        if (own.isPresent() || parent.isEmpty()) {
            return interpolated(pom, own.orElse(""));
        }
        return inherited(read(file(text(parent.get(), "artifactId").orElseThrow(), ".pom")), path);
    }

    private static String interpolated(Element pom, String value) {
        return PROPERTY.matcher(value)
                .replaceAll(found -> Matcher.quoteReplacement(
                        text(pom, "properties/" + found.group(1)).orElse(found.group())));
    }

    private Path file(String artifact, String suffix) {
        return folders.get(artifact).resolve(artifact + "-" + version + suffix);
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            problems.add(otherwise);
        }
    }

    private static Path beside(Path file, String kind) {
        return file.resolveSibling(file.getFileName() + "." + kind);
    }

    private static String manifest(Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile());
                InputStream in = zip.getInputStream(zip.getEntry("META-INF/MANIFEST.MF"))) {
            return new String(in.readAllBytes());
        }
    }

    private static Element read(Path xml) throws Exception {
        return DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(xml.toFile())
                .getDocumentElement();
    }

    private static Optional<String> text(Element element, String path) {
        Optional<Element> at = Optional.of(element);
        for (String name : path.split("/")) {
            at = at.flatMap(inner -> child(inner, name));
        }
        return at.map(Element::getTextContent);
    }

    private static Optional<Element> child(Element element, String name) {
        return children(element).filter(inner -> inner.getTagName().equals(name)).findFirst();
    }

    private static Stream<Element> children(Element element) {
        var nodes = element.getChildNodes();
        return Stream.iterate(0, index -> index < nodes.getLength(), index -> index + 1)
                .map(nodes::item)
                .filter(Element.class::isInstance)
                .map(Element.class::cast);
    }
}
