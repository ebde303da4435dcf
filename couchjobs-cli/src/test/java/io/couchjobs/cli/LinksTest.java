package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links from page to page: to files that are there, and to headings that they have. */
class LinksTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");
    private static final Set<String> NOT_OURS = Set.of("target", "node_modules", ".git");

    @Test
    void every_link_between_pages_leads_somewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (String line : prose(page)) {
                for (Matcher found = LINK.matcher(line.replaceAll("`[^`]*`", "")); found.find(); links++) {
                    if (!leadsSomewhere(page, found.group(1))) {
                        broken.add(HOME.relativize(page) + ": " + found.group(1));
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(100);
    }

    private static boolean leadsSomewhere(Path page, String target) throws IOException {
        if (target.matches("[a-z]+:.*")) {
            return true; // another site
        }
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        Path other = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (hash < 0 || !Files.exists(other) || !other.toString().endsWith(".md")) {
            return Files.exists(other);
        }
        return anchors(other).contains(target.substring(hash + 1));
    }

    /** As code hosts make them from headings. */
    private static Set<String> anchors(Path page) throws IOException {
        Map<String, Integer> seen = new HashMap<>();
        Set<String> anchors = new HashSet<>();
        for (String line : prose(page)) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                String text = heading.group(1).strip().replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1");
                String anchor = text.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                        .replace(' ', '-');
                int before = seen.merge(anchor, 1, Integer::sum) - 1;
                anchors.add(before == 0 ? anchor : anchor + "-" + before);
            }
        }
        return anchors;
    }

    /** The lines outside of code blocks. */
    private static List<String> prose(Path page) throws IOException {
        List<String> prose = new ArrayList<>();
        boolean isCode = false;
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("```")) {
                isCode = !isCode;
            } else if (!isCode) {
                prose.add(line);
            }
        }
        return prose;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.find(
                HOME, 6, (path, attributes) -> path.toString().endsWith(".md") && attributes.isRegularFile())) {
            return files.filter(path -> NOT_OURS.stream()
                            .noneMatch(name -> HOME.relativize(path).startsWith(name)
                                    || path.toString().contains("/" + name + "/")))
                    .toList();
        }
    }
}
