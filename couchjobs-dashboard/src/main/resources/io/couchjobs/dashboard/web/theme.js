// Runs before anything is painted, so that a chosen theme does not flash.
(function () {
  try {
    var theme = localStorage.getItem('couchjobs-theme');
    if (theme === 'light' || theme === 'dark') {
      document.documentElement.dataset.theme = theme;
    }
  } catch (storageIsOff) {
    // the system's theme applies
  }
})();
