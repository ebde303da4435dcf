class Couchjobs < Formula
  desc "Document job queue on Apache CouchDB"
  homepage "@HOME@"
  url "@HOME@/releases/download/v@VERSION@/couchjobs-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "openjdk"

  def install
    libexec.install "bin", "lib"
    man1.install Dir["share/man/man1/*.1"]
    (bin/"couchjobs").write_env_script libexec/"bin/couchjobs", JAVA_HOME: Formula["openjdk"].opt_prefix
    generate_completions_from_executable(bin/"couchjobs", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/couchjobs --version")
  end
end
