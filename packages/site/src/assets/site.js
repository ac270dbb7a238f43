// Comforts for pages that are complete without them: theme, tabs, copying, search.

const root = document.documentElement;
const remember = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing is kept where the reader does not want it.
  }
};
const recall = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

const themeButton = document.querySelector('button.theme');
const isDark = () =>
  (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
const nameTheme = () => {
  themeButton.textContent = isDark() ? 'Light' : 'Dark';
  themeButton.setAttribute('aria-label', isDark() ? 'Light colours' : 'Dark colours');
};
themeButton.hidden = false;
themeButton.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  remember('theme', root.dataset.theme);
  nameTheme();
});
nameTheme();

// Tabs: the sections of a set become panels; a choice holds for all sets, on all pages.
const sets = [...document.querySelectorAll('.tabs')].map((set, number) => {
  const panels = [...set.querySelectorAll('[data-tab]')];
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.textContent = panel.dataset.tab;
    tab.id = `tab-${number}-${index}`;
    panel.id = `panel-${number}-${index}`;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    panel.querySelector('.tab-name').hidden = true;
    list.append(tab);
    return tab;
  });
  set.prepend(list);
  const show = (name) => {
    if (!panels.some(({ dataset }) => dataset.tab === name)) return false;
    for (const [index, panel] of panels.entries()) {
      const isShown = panel.dataset.tab === name;
      panel.hidden = !isShown;
      tabs[index].setAttribute('aria-selected', String(isShown));
      tabs[index].tabIndex = isShown ? 0 : -1;
    }
    return true;
  };
  const choose = (tab) => {
    const before = tab.getBoundingClientRect().top;
    for (const each of sets) each.show(tab.textContent);
    remember('language', tab.textContent);
    tab.focus();
    scrollBy(0, tab.getBoundingClientRect().top - before);
  };
  list.addEventListener('click', ({ target }) => {
    if (tabs.includes(target)) choose(target);
  });
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.indexOf(document.activeElement);
    if (step === undefined || at === -1) return;
    event.preventDefault();
    choose(tabs[(at + step + tabs.length) % tabs.length]);
  });
  if (!show(recall('language') ?? '')) show(panels[0].dataset.tab);
  return { show };
});

for (const pre of document.querySelectorAll('.code pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  pre.after(button);
}

// Search: library and texts are loaded when somebody wants to find something.
const finder = document.querySelector('dialog.finder');
const field = finder.querySelector('input');
const found = finder.querySelector('.found');
const results = finder.querySelector('ol');
const searchButton = document.querySelector('button.search');
searchButton.hidden = false;

let index;
const loadIndex = async () => {
  const [{ default: MiniSearch }, sections] = await Promise.all([
    import('%LIBRARY%'),
    fetch('%SECTIONS%').then((answer) => answer.json()),
  ]);
  const made = new MiniSearch({
    fields: ['heading', 'title', 'text'],
    storeFields: ['heading', 'title', 'text', 'weight'],
    searchOptions: {
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : 0),
      boost: { heading: 3, title: 4 },
      combineWith: 'AND',
      boostDocument: (_id, _term, { weight }) => weight,
    },
  });
  made.addAll(sections);
  return made;
};

const WORDS_BEFORE = 60;
const WORDS_LONG = 180;
function excerpt(text, terms) {
  const lower = text.toLowerCase();
  const at = Math.max(
    0,
    ...terms
      .map((term) => lower.indexOf(term))
      .filter((place) => place >= 0)
      .slice(0, 1),
  );
  const from = at < WORDS_BEFORE ? 0 : text.indexOf(' ', at - WORDS_BEFORE) + 1;
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + WORDS_LONG)}${from + WORDS_LONG < text.length ? ' …' : ''}`;
}

async function find() {
  const wanted = field.value.trim();
  index ??= loadIndex();
  const made = await index;
  if (wanted !== field.value.trim()) return;
  const hits = wanted === '' ? [] : made.search(wanted).slice(0, 20);
  found.textContent =
    wanted === ''
      ? ''
      : hits.length === 0
        ? 'Nothing found.'
        : `${hits.length} ${hits.length === 1 ? 'result' : 'results'}`;
  results.replaceChildren(
    ...hits.map(({ id, heading, title, text, terms }) => {
      const item = document.createElement('li');
      const anchor = document.createElement('a');
      anchor.href = id;
      const name = document.createElement('strong');
      name.textContent = heading === title ? title : `${title}: ${heading}`;
      const about = document.createElement('span');
      about.textContent = excerpt(text, terms);
      anchor.append(name, about);
      item.append(anchor);
      return item;
    }),
  );
}

const openFinder = () => {
  finder.showModal();
  field.select();
  index ??= loadIndex();
};
searchButton.addEventListener('click', openFinder);
field.addEventListener('input', find);
results.addEventListener('click', () => finder.close());
finder.addEventListener('click', ({ target }) => {
  if (target === finder) finder.close();
});
finder.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus();
  else if (event.key === 'ArrowUp') (at <= 0 ? field : links[at - 1]).focus();
  else if (event.key === 'Enter' && document.activeElement === field) links[0]?.click();
  else return;
  event.preventDefault();
});
addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
  const isCall = event.key === '/' ? !isTyping : event.key === 'k' && (event.ctrlKey || event.metaKey);
  if (!isCall || finder.open) return;
  event.preventDefault();
  openFinder();
});
