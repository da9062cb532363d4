
'use strict';

(() => {
  const root = document.documentElement;

  // Theme: that of the system until the button says otherwise.
  const button = document.getElementById('theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const theme = () => root.dataset.theme || (system.matches ? 'dark' : 'light');
  const other = () => (theme() === 'dark' ? 'light' : 'dark');
  const name = () => { button.textContent = other() === 'dark' ? 'Dark theme' : 'Light theme'; };
  button.addEventListener('click', () => { root.dataset.theme = other(); name(); });
  system.addEventListener('change', name);
  button.hidden = false;
  name();

  // The contents stand open where there is room beside the page.
  const contents = document.getElementById('contents');
  const wide = matchMedia('(min-width: 70rem)');
  const unfold = () => { contents.open = wide.matches; };
  wide.addEventListener('change', unfold);
  unfold();

  // Sorting: by figures where a column has any, else by words; what is no figure
  // comes last; the third press restores the order of the record.
  const next = { none: 'ascending', ascending: 'descending', descending: 'none' };
  const has = (cell) => 'value' in cell.dataset;

  function sort(recorded, column, direction) {
    if (direction === 'none') return recorded;
    const sign = direction === 'ascending' ? 1 : -1;
    const numeric = recorded.some((row) => has(row.cells[column]));
    const compare = (a, b) => {
      if (!numeric) return sign * a.textContent.trim().localeCompare(b.textContent.trim(), 'en', { numeric: true });
      if (!has(a) || !has(b)) return has(b) - has(a);
      return sign * (Number(a.dataset.value) - Number(b.dataset.value));
    };
    return [...recorded].sort((a, b) => compare(a.cells[column], b.cells[column]));
  }

  // Of the links in a table one is a stop of the tab key; arrows go to the others.
  const arrows = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  function neighbour(body, link, [down, right]) {
    let row = link.closest('tr').sectionRowIndex + down;
    let column = link.closest('th, td').cellIndex + right;
    while (body.rows[row] && body.rows[row].cells[column]) {
      const found = body.rows[row].cells[column].querySelector('a.figure');
      if (found) return found;
      row += down;
      column += right;
    }
    return null;
  }

  for (const table of document.querySelectorAll('table.figures')) {
    const body = table.tBodies[0];
    const recorded = [...body.rows];

    table.tHead.addEventListener('click', (event) => {
      const head = event.target.closest('th[aria-sort]');
      if (!head || !event.target.closest('button')) return;
      const direction = next[head.getAttribute('aria-sort')];
      for (const th of table.tHead.rows[0].cells) th.setAttribute('aria-sort', th === head ? direction : 'none');
      body.append(...sort(recorded, head.cellIndex, direction));
    });

    const links = body.querySelectorAll('a.figure');
    let stop = links[0];
    for (const link of links) link.tabIndex = link === stop ? 0 : -1;
    body.addEventListener('focusin', (event) => {
      if (!event.target.matches('a.figure')) return;
      stop.tabIndex = -1;
      stop = event.target;
      stop.tabIndex = 0;
    });
    body.addEventListener('keydown', (event) => {
      const way = arrows[event.key];
      const to = way && event.target.matches('a.figure') && neighbour(body, event.target, way);
      if (!to) return;
      event.preventDefault();
      to.focus();
    });
  }
})();
