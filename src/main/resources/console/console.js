// Updates a page from its event stream, and sends its forms. Without scripts the pages stay readable.
'use strict';

const $ = (selector) => document.querySelector(selector);
const part = (name) => $(`[data-part="${name}"]`);
let stream;
let follows = false; // whether to open the new run when the conversation gets one

const toBottom = (box) => { box.scrollTop = box.scrollHeight; };

// Keeps the transcript scrolled to its end, if it was there before the change.
function keepingBottom(act) {
  const box = part('lines');
  const follow = box && box.scrollHeight - box.scrollTop - box.clientHeight < 40;
  act();
  if (follow) toBottom(box);
}

const on = {
  list: (html) => replace('list', html),
  notes: (html) => replace('notes', html),
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
  lines(html) {
    const box = part('lines');
    if (!box) { location.reload(); return; }
    box.insertAdjacentHTML('beforeend', html);
  },
  row(html) {
    const box = document.createElement('ol');
    box.innerHTML = html;
    const now = box.firstElementChild;
    const old = document.querySelector(`[data-run="${CSS.escape(now.dataset.run)}"]`);
    if (!old) { part('rows').append(now); return; }
    // Cell by cell, so that the focus and a selection stay where nothing changed.
    old.className = now.className;
    for (const cell of now.children) {
      const before = old.querySelector(`[data-cell="${cell.dataset.cell}"]`);
      if (before.innerHTML === cell.innerHTML || before.textContent.trim() === cell.textContent.trim() && cell.dataset.cell === 'when') continue;
      const focused = before.contains(document.activeElement);
      before.innerHTML = cell.innerHTML;
      if (focused) before.querySelector('a')?.focus({ preventScroll: true });
    }
  },
  order(ids) {
    const rows = part('rows');
    const wanted = ids.trim().split(' ').map((id) => rows.querySelector(`[data-run="${CSS.escape(id)}"]`)).filter(Boolean);
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
  started: (path) => location.assign(path),
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
  part(name).innerHTML = html;
  tick();
}

function follow(address) {
  stream?.close();
  stream = new EventSource(address);
  for (const [event, act] of Object.entries(on)) {
    stream.addEventListener(event, ({ data }) => keepingBottom(() => act(data)));
  }
  // The browser reconnects by itself, except after a response that is not an event stream.
  stream.onerror = ({ target }) => {
    if (target.readyState === EventSource.CLOSED) setTimeout(() => follow(address), 10_000);
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
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    time.title = at.toLocaleString();
    time.textContent = ('elapsed' in time.dataset ? elapsed : ago)(Date.now() - at);
  }
}

async function send(form, button) {
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
      if (['start', 'say'].includes(button.value)) form.text.value = '';
      answer.textContent = { start: 'Starting …', say: 'Sent.', stop: 'Stopping …', retry: 'Starting again …', approve: 'Approving …', decline: 'Declining …' }[button.value] ?? 'Sent.';
      if (isStart) {
        busy = true;
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
  buttons.forEach((each) => { each.disabled = false; });
  if (!busy) form.text?.focus();
}

const live = $('[data-live]');
if (live) follow(live.dataset.live);
if (part('lines')) toBottom(part('lines'));
tick();
setInterval(tick, 1000);

document.addEventListener('submit', (event) => {
  if (!event.target.dataset.form) return;
  event.preventDefault();
  send(event.target, event.submitter ?? event.target.querySelector('button'));
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.form?.dataset.form) {
    event.target.form.requestSubmit(event.target.form.querySelector('button'));
  }
});
