@echo off
rem Starts the couchjobs command line.
rem
rem   JAVA_HOME             the Java to use (17 or newer); otherwise the java on the PATH
rem   COUCHJOBS_JAVA_OPTS   further options for the JVM, such as -Xmx256m
setlocal
set "java=java"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java.exe"
"%java%" -XX:+UseSerialGC -Dfile.encoding=UTF-8 "-Dcouchjobs.home=%~dp0.." %COUCHJOBS_JAVA_OPTS% -jar "%~dp0..\lib\couchjobs.jar" %*
exit /b %ERRORLEVEL%
