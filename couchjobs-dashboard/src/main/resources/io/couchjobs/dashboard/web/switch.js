// Switches the theme: light, dark, or that of the system.
import { h, Component } from './lib.js';

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' };
const WORDS = { auto: 'as the system', light: 'light', dark: 'dark' };
const SIGNS = { auto: '◐', light: '☀', dark: '☾' };

export class Theme extends Component {
  constructor() {
    super();
    this.state = { theme: document.documentElement.dataset.theme || 'auto' };
  }

  choose() {
    const theme = NEXT[this.state.theme];
    if (theme === 'auto') {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = theme;
    }
    try {
      localStorage.setItem('couchjobs-theme', theme);
    } catch (storageIsOff) {
      // the theme applies until the page is left
    }
    this.setState({ theme });
  }

  render(props, { theme }) {
    const label = 'Colours: ' + WORDS[theme] + '. Change to ' + WORDS[NEXT[theme]];
    return h('button', { type: 'button', class: 'theme', title: label, 'aria-label': label, onClick: () => this.choose() },
      h('span', { 'aria-hidden': 'true' }, SIGNS[theme]));
  }
}
