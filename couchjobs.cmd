@echo off
rem Starts the couchjobs command line on Windows; builds it first when it is not built yet.
rem
rem   JAVA_HOME             the JDK to use (17 or newer); otherwise the java on the PATH
rem   COUCHJOBS_JAVA_OPTS   further options for the JVM, such as -Xmx256m
rem   COUCHJOBS_REBUILD=1   build again, after a change of the sources
setlocal
set "jar=%~dp0couchjobs-cli\target\quick\couchjobs.jar"
if defined COUCHJOBS_REBUILD if exist "%jar%" del "%jar%"
if not exist "%jar%" (
    echo couchjobs: building it first; with the downloads of the first time this may take some minutes 1>&2
    call "%~dp0mvnw.cmd" -q -B -f "%~dp0pom.xml" -Pquick package -pl couchjobs-cli -am 1>&2 || exit /b 1
)
set "java=java"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java.exe"
"%java%" -XX:+UseSerialGC -Dfile.encoding=UTF-8 "-Dcouchjobs.home=%~dp0." %COUCHJOBS_JAVA_OPTS% -jar "%jar%" %*
exit /b %ERRORLEVEL%
