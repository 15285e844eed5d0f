// Updates a page from its event stream, and sends its forms. Without scripts the pages stay readable.
'use strict';

const $ = (selector) => document.querySelector(selector);
const part = (name) => $(`[data-part="${name}"]`);
let stream;
let starting; // the button of a start that was sent, until it is accepted or refused
let follows = false; // whether to open the new run when the conversation gets one

const toBottom = (box) => { box.scrollTop = box.scrollHeight; };

// Keeps the transcript scrolled to its end, if it was there before the change.
function keepingBottom(act) {
  const box = part('lines');
  const follow = box && isAtBottom(box);
  act(follow);
  if (follow) toBottom(box);
}

const isAtBottom = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 40;

// Changes only what differs, so that focus, selection and scroll positions stay.
function patch(old, now) {
  if (old.isEqualNode(now)) return;
  for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) {
    // What the visitor unfolded stays so.
    if (!now.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  }
  const before = [...old.childNodes];
  const after = [...now.childNodes];
  // Children that are the same at both ends stay; those between are matched in order.
  let start = 0;
  while (start < before.length && start < after.length && isAlike(before[start], after[start])) {
    patchNode(before[start], after[start]);
    start++;
  }
  let end = 0;
  while (end < before.length - start && end < after.length - start && isAlike(before.at(-1 - end), after.at(-1 - end))) {
    patchNode(before.at(-1 - end), after.at(-1 - end));
    end++;
  }
  const left = before.slice(start, before.length - end);
  const next = before[before.length - end] ?? null;
  for (const node of after.slice(start, after.length - end)) {
    // What only moved is moved.
    const at = node.dataset?.key ? left.findIndex((each) => isAlike(each, node)) : -1;
    if (at < 0) { old.insertBefore(node, next); continue; }
    const [moved] = left.splice(at, 1);
    patchNode(moved, node);
    old.insertBefore(moved, next);
  }
  left.forEach((node) => node.remove());
}

function isAlike(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && a.dataset?.key === b.dataset?.key;
}

function patchNode(old, now) {
  if (old.nodeType === Node.ELEMENT_NODE) {
    // The script keeps these up to date.
    if (!old.matches('time[datetime]') || old.dateTime !== now.dateTime) patch(old, now);
  } else if (old.data !== now.data) old.data = now.data;
}

const on = {
  list: (html) => replace('list', html),
  notes(html) {
    replace('notes', html);
    if (starting && html.trim()) {
      starting.disabled = false;
      starting.form.querySelector('[data-answer]').textContent = '';
      starting = undefined;
    }
  },
  facts: (html) => replace('facts', html),
  head(html) {
    replace('head', html);
    const { title, word } = $('[data-title]').dataset;
    if (document.title !== title) {
      document.title = title;
      const answer = $('[data-answer]');
      if (answer) answer.textContent = '';
      $('#announce').textContent = word;
    }
  },
  lines(html, follows) {
    const box = part('lines');
    if (!box) { location.reload(); return; }
    // A page that shows another part of the transcript has a link to the end.
    if (box.querySelector('[data-more="after"]')) return;
    append(box, unseen(box, html));
    if (follows) trim(box);
  },
  row(html) {
    const box = document.createElement('ol');
    box.innerHTML = html;
    const now = box.firstElementChild;
    const old = rowOf(now.dataset.run);
    if (old) refresh(old, now);
    else part('rows').append(now);
  },
  said(text) {
    const [run, ...words] = text.split(' ');
    const cell = rowOf(run)?.querySelector('[data-cell="message"]');
    if (cell) cell.textContent = words.join(' ');
  },
  order(ids) {
    const rows = part('rows');
    const wanted = ids.trim().split(' ').map(rowOf).filter(Boolean);
    // A row that somebody stands on stays, although it left the list.
    for (const row of [...rows.children]) {
      if (!wanted.includes(row) && !row.contains(document.activeElement)) row.remove();
    }
    // Moving a row would take the focus from it, so the others move around it.
    const held = wanted.find((row) => row.contains(document.activeElement));
    const at = wanted.indexOf(held);
    wanted.forEach((row, i) => {
      if (row === held) return;
      if (held && i < at) rows.insertBefore(row, held);
      else rows.append(row);
    });
    tick();
  },
  started(path) {
    // So that the prompt is not there again when the visitor comes back.
    $('[data-form="start"]')?.reset();
    location.assign(path);
  },
  moved(path) {
    stream.close();
    if (follows) { location.assign(path); return; }
    const link = Object.assign(document.createElement('a'), { href: path, textContent: 'Go to it' });
    const note = Object.assign(document.createElement('p'), { className: 'note' });
    note.append('Its thread has a newer run. ', link);
    part('notes').append(note);
  },
};

function replace(name, html) {
  const old = part(name);
  const now = old.cloneNode(false);
  now.innerHTML = html;
  // Blank text around a part differs between a page and an event, and would shift all children.
  trimEdges(old);
  trimEdges(now);
  refresh(old, now);
  prepare(old);
  tick();
}

function refresh(old, now) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  patch(old, now);
  if (focused?.isConnected) focused.focus({ preventScroll: true }); // a move takes the focus
  else if (focused) {
    old.tabIndex = -1;
    old.focus({ preventScroll: true });
  }
}

const rowOf = (run) => document.querySelector(`[data-run="${CSS.escape(run)}"]`);

function trimEdges(box) {
  for (const edge of ['firstChild', 'lastChild']) {
    while (box[edge]?.nodeType === Node.TEXT_NODE && !box[edge].data.trim()) box[edge].remove();
  }
}

const MOST_LINES = 5000;

function holderOf(html) {
  const holder = document.createElement('div');
  holder.innerHTML = html;
  return holder;
}

// Only the lines that are not on the page, because a new stream begins where the page began.
function unseen(box, html) {
  const holder = holderOf(html);
  const last = lineNumbers(box).at(-1) ?? 0;
  for (const line of holder.querySelectorAll('[data-line]')) {
    if (Number(line.dataset.line) > last) continue;
    const step = line.closest('summary')?.parentElement;
    line.remove();
    // The results that follow continue the step on the page.
    step?.replaceWith(...step.childNodes);
  }
  return holder;
}

const lineNumbers = (box) => [...box.querySelectorAll('[data-line]')].map((line) => Number(line.dataset.line));

// Adds lines at the end. Results that continue the last step go into it.
function append(box, holder, before = null) {
  const step = (before ? before.previousElementSibling : box.lastElementChild);
  while (step?.matches('.step') && holder.firstElementChild?.matches('.line.result')) step.append(holder.firstElementChild);
  if (step?.matches('.line.did') && holder.firstElementChild?.matches('.line.result')) fold(step, holder);
  prepare(holder);
  while (holder.firstChild) box.insertBefore(holder.firstChild, before);
}

// Makes a tool call and the results that follow it a step.
function fold(line, results) {
  const step = Object.assign(document.createElement('details'), { className: 'step', open: true });
  const summary = document.createElement('summary');
  for (const { name, value } of line.attributes) summary.setAttribute(name, value);
  summary.append(...line.childNodes);
  line.replaceWith(step);
  step.append(summary);
  while (results.firstElementChild?.matches('.line.result')) step.append(results.firstElementChild);
}

// Keeps a page that follows a long run usable: the oldest lines leave while nobody looks at them.
function trim(box) {
  let lines = box.querySelectorAll('[data-line]').length;
  if (lines <= MOST_LINES || !document.getSelection().isCollapsed) return;
  while (lines > MOST_LINES - 1000) {
    const first = [...box.children].find((each) => !each.matches('.more'));
    lines -= Math.max(1, first.querySelectorAll('[data-line]').length);
    first.remove();
  }
  if (box.querySelector('[data-more="before"]')) return;
  const more = Object.assign(document.createElement('p'), { className: 'more' });
  const link = Object.assign(document.createElement('a'), { href: location.pathname + '?line=1', textContent: 'Show earlier lines' });
  link.dataset.more = 'before';
  more.append(link);
  box.prepend(more);
}

// Fetches the lines before or after those on the page.
async function more(link) {
  const box = part('lines');
  const numbers = lineNumbers(box);
  const isBefore = link.dataset.more === 'before';
  const edge = isBefore ? Math.min(...numbers) : Math.max(...numbers);
  const reply = await fetch(`${box.dataset.path}?${link.dataset.more}=${edge}`);
  if (!reply.ok) { location.assign(link.href); return; }
  const html = await reply.text();
  const place = link.closest('.more');
  const hadFocus = place.contains(document.activeElement);
  if (isBefore) {
    const height = box.scrollHeight;
    const holder = holderOf(html);
    prepare(holder);
    const first = Number(holder.querySelector('[data-line]')?.dataset.line ?? 1);
    place.after(...holder.childNodes);
    box.scrollTop += box.scrollHeight - height;
    if (first <= 1) place.remove();
  } else {
    if (html.trim()) append(box, holderOf(html), place);
    else { place.remove(); follow(`${location.pathname}/live?after=${edge}`); }
  }
  if (hadFocus && !place.isConnected) box.focus({ preventScroll: true });
}

// Marks what was searched for, without changing the text.
function mark() {
  const box = part('lines');
  const words = box?.dataset.mark?.toLowerCase();
  if (!words || !window.CSS?.highlights) return;
  const ranges = [];
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && ranges.length < 2000) {
    const text = walker.currentNode.data.toLowerCase();
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
      const range = new Range();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + words.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges));
}

// What works with scripts only, and times in the visitor's zone.
function prepare(root) {
  for (const button of root.querySelectorAll('[data-copy]')) button.hidden = !navigator.clipboard;
  for (const each of root.querySelectorAll('[data-script]')) each.hidden = false;
  for (const time of root.querySelectorAll('time[data-clock], time[data-full]')) {
    const at = new Date(time.dateTime);
    time.title = at.toLocaleString();
    time.textContent = 'clock' in time.dataset ? at.toLocaleTimeString([], { hour12: false }) : at.toLocaleString();
  }
}

function follow(address) {
  stream?.close();
  stream = new EventSource(address);
  for (const [event, act] of Object.entries(on)) {
    stream.addEventListener(event, ({ data }) => keepingBottom((follows) => act(data, follows)));
  }
  stream.onopen = () => { $('#paused').hidden = true; };
  // The browser reconnects by itself, except after a response that is not an event stream.
  stream.onerror = ({ target }) => {
    if (target.readyState !== EventSource.CLOSED) return;
    $('#paused').hidden = false;
    setTimeout(() => { if (stream === target) follow(address); }, 10_000);
  };
}

// The formats of core/text/RunTexts, so that times keep counting between two events.
function elapsed(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  const [m, h, d] = [60, 3600, 86400].map((unit) => Math.floor(s / unit));
  if (d) return `${d} d ${h % 24} h`;
  if (h) return `${h} h ${m % 60} min`;
  return m ? `${m} min ${s % 60} s` : `${s} s`;
}

function ago(ms) {
  const m = Math.floor(ms / 60_000);
  if (m < 1) return 'just now';
  if (m < 60) return `${m} min ago`;
  return m < 1440 ? `${Math.floor(m / 60)} h ago` : `${Math.floor(m / 1440)} d ago`;
}

function tick() {
  for (const time of document.querySelectorAll('time[data-ago], time[data-elapsed]')) {
    const at = new Date(time.dateTime);
    time.title = at.toLocaleString();
    time.textContent = ('elapsed' in time.dataset ? elapsed : ago)(Date.now() - at);
  }
}

async function send(form, button) {
  if (button === starting) return;
  const answer = form.querySelector('[data-answer]');
  const fields = new URLSearchParams(new FormData(form, button));
  const isStart = button.value === 'start';
  const buttons = document.querySelectorAll('button');
  buttons.forEach((each) => { each.disabled = true; });
  answer.textContent = isStart ? 'Starting …' : 'Sending …';
  let busy = false;
  try {
    const reply = await fetch('/webhooks/console', { method: 'POST', body: fields });
    const text = await reply.text();
    if (reply.ok) {
      form.turn.value = Number(form.turn.value) + 1; // the next post is a new delivery
      follows = true;
      if (button.value === 'say') form.text.value = '';
      answer.textContent = { start: 'Starting …', say: 'Sent.', stop: 'Stopping …', retry: 'Starting again …', approve: 'Approving …', decline: 'Declining …' }[button.value] ?? 'Sent.';
      if (isStart) {
        busy = true;
        starting = button;
        follow(`/live?awaiting=${encodeURIComponent(text)}`);
      }
    } else if (reply.status === 422) {
      answer.textContent = text;
    } else {
      answer.textContent = {
        401: 'This page is out of date. Load it again, then repeat.',
        413: 'That is too long. Put it into a file or an issue, and say where it is.',
      }[reply.status] ?? 'That could not be kept just now. Please try again.';
    }
  } catch {
    answer.textContent = 'Runnel cannot be reached. Please try again.';
  }
  buttons.forEach((each) => { each.disabled = each === starting; });
  if (!busy) form.text?.focus();
}

const live = $('[data-live]');
if (live) follow(live.dataset.live);
const wanted = location.hash.startsWith('#L') && document.getElementById(location.hash.slice(1));
if (wanted) {
  wanted.closest('details')?.setAttribute('open', '');
  wanted.classList.add('wanted');
  wanted.scrollIntoView({ block: 'center' });
} else if (part('lines') && !part('lines').dataset.mark) toBottom(part('lines'));
prepare(document);
mark();
const folder = $('[data-fold]');
if (folder) folder.hidden = false;
tick();
setInterval(tick, 1000);

document.addEventListener('submit', (event) => {
  if (!event.target.dataset.form) return;
  event.preventDefault();
  send(event.target, event.submitter ?? event.target.querySelector('button'));
});
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy], [data-fold], [data-more]');
  if (!button) return;
  if ('more' in button.dataset) {
    event.preventDefault();
    more(button);
  } else if ('fold' in button.dataset) {
    const unfold = button.textContent === 'Unfold all';
    for (const step of document.querySelectorAll('.step')) step.open = unfold;
    button.textContent = unfold ? 'Fold all' : 'Unfold all';
  } else {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = 'Copied';
    $('#announce').textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  }
});
document.addEventListener('change', ({ target }) => {
  const all = $('[data-all]');
  if (!all) return;
  const boxes = [...document.querySelectorAll(`input[type="checkbox"][name="${all.dataset.all}"]`)];
  if (target === all) for (const box of boxes) box.checked = all.checked;
  all.checked = boxes.every((box) => box.checked);
  all.indeterminate = !all.checked && boxes.some((box) => box.checked);
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.target.closest('input, textarea, select')) {
    const find = $('#find, #q');
    if (find) { event.preventDefault(); find.focus(); find.select(); }
  }
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.form?.dataset.form) {
    event.target.form.requestSubmit(event.target.form.querySelector('button'));
  }
});
