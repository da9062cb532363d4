
'use strict';

// The calculator computes what the page's table of needs was computed with, from
// the same figures. What it says is checked against that.
window.mcpbenchCalculator = (() => {
  const model = JSON.parse(document.getElementById('calculator-model').textContent);

  // logMass is the logarithm of P(B = k) for B binomial(n, p).
  function logMass(n, k, p) {
    let log = k * Math.log(p) + (n - k) * Math.log1p(-p);
    for (let i = 1; i <= k; i++) log += Math.log((n - k + i) / i);
    return log;
  }

  // quantile is the largest k with P(B < k) ≤ tail. It starts where there is less
  // than any tail below.
  function quantile(n, p, tail) {
    const mean = n * p;
    let k = Math.max(0, Math.trunc(mean - 12 * Math.sqrt(mean * (1 - p)) - 12));
    let mass = Math.exp(logMass(n, k, p));
    for (let below = mass; below <= tail && k < n; below += mass) {
      k++;
      mass *= ((n - k + 1) / k) * (p / (1 - p));
    }
    return k;
  }

  // inFlight is how many calls are in flight: the mean by Little's law, and how
  // many there are at most at nearly all moments.
  function inFlight(people, every, latency) {
    const p = latency / (every * 1e9);
    if (p >= 1) return { mean: people, most: people };
    return { mean: people * p, most: p > 0 ? quantile(people, p, model.crowded) : 0 };
  }

  const ends = ['lo', 'middle', 'hi'];
  const range = (of) => Object.fromEntries(ends.map((end) => [end, of(end)]));

  // above is the greater of two ranges, end by end.
  const above = (a, b) => (b ? range((end) => Math.max(a[end], b[end])) : a);

  // memory is the peak with that many people and calls in flight, in bytes, and
  // never below what admitting them was seen to take.
  function memory(m, people, most) {
    const found = loaded(m, people, most);
    const floors = m.floors || [];
    for (const f of found.memory ? floors : []) {
      if (f.people > Math.max(people, floors[0].people)) break;
      found.memory.middle = Math.max(found.memory.middle, f.bytes);
      found.memory.hi = Math.max(found.memory.hi, f.bytes);
    }
    return found;
  }

  // loaded is the peak of a load, as the model or the steps have it.
  function loaded(m, people, most) {
    if (m.process) return { memory: range((end) => people * m.process[end]), refs: m.refs };
    if (m.why) return { noMemory: m.why };
    if (people > m.people) return loadedBeyond(m, people, most);
    if (m.base) {
      if (most > m.inFlight) return { noMemory: m.beyondInFlight };
      return { memory: range((end) => m.base[end] + people * m.held[end] + most * m.call[end]), refs: m.refs };
    }
    const step = (m.steps || []).find((s) => s.inFlight >= most);
    if (!step) return { noMemory: m.beyondInFlight };
    const quiet = Math.max(people - step.people, 0);
    return {
      memory: range((end) => (end === 'lo' ? step.lo : step.hi) + quiet * m.held[end]),
      refs: [...step.refs, ...m.refs],
    };
  }

  // loadedBeyond is what more people take at most than the lines go to.
  function loadedBeyond(m, people, most) {
    const step = (m.beyond || []).find((s) => s.people >= people && s.inFlight >= most);
    if (!step) return { noMemory: m.beyondPeople };
    const fewer = loaded(m, m.people, most).memory;
    const hi = Math.max(step.hi, fewer ? fewer.hi : 0);
    const admitted = (m.floors || []).filter((f) => f.people <= people).map((f) => f.least);
    return { memory: { lo: Math.min(Math.max(0, ...admitted), hi), middle: hi, hi }, refs: step.refs, past: true };
  }

  // need sizes the server for people who each call once in that many seconds. What
  // the record cannot carry has a reason in its place. Memory is in bytes, of all
  // processes; the limit is that of each; times are in nanoseconds.
  function need(surface, transport, people, every) {
    if (!(Number.isInteger(people) && people >= 1 && every > 0)) {
      const why = 'it takes one person or more, and a time above zero between calls';
      return { noLoad: why, noMemory: why, noCores: why, noP99: why };
    }
    const of = model.surfaces.find((s) => s.surface === surface && s.transport === transport);
    if (!of) {
      const why = `the record has no model of ${surface} over ${transport}`;
      return { noLoad: why, noMemory: why, noCores: why, noP99: why };
    }
    const perSecond = people / every;
    const n = { people, every, perSecond, processes: of.memory.process ? people : 1 };
    const load = of.loads.find((l) => l.perSecond >= perSecond);
    if (load) {
      const { mean, most } = inFlight(people, every, load.latency);
      Object.assign(n, { load: load.words, mean, most: Math.max(most, 1) });
      n.refs = load.refs;
      const { memory: m } = of;
      const past = m.held && people > m.people; // the lines
      const step = past && (m.beyond || []).find((s) => s.people >= people && s.inFlight >= n.most);
      const cpu = above(load.cpu, step && step.cpu);
      if (load.cpu.why) n.noCores = load.cpu.why; else n.cores = range((end) => (cpu[end] * perSecond) / 1e9);
      if (past) n.noP99 = m.beyondTimes;
      else if (load.p99.why) n.noP99 = load.p99.why;
      else n.p99 = range((end) => load.p99[end]);
    } else {
      n.noLoad = n.noCores = n.noP99 = of.noLoad;
    }
    if (load || of.memory.process) {
      const { refs, ...found } = memory(of.memory, people, n.most);
      Object.assign(n, found, { memoryRefs: refs });
    } else n.noMemory = of.noLoad;
    if (n.memory) n.limit = (model.headroom * n.memory.hi) / n.processes;
    return n;
  }

  // significant writes three significant digits, whole numbers from a hundred up
  // in full, and groups thousands. Half-way goes to the even digit, as in Go.
  function significant(v) {
    const a = Math.abs(v);
    let decimals = 0;
    if (a > 0 && a < 100 && a !== Math.trunc(a)) {
      decimals = Math.min(Math.max(2 - Math.floor(Math.log10(a)), 0), 6);
    }
    let text = a.toFixed(decimals);
    const halfway = (a * 2 ** (decimals + 1)) % 2 === 1;
    if (halfway && /[13579]$/.test(text)) text = (a - 10 ** -(decimals + 1)).toFixed(decimals);
    const [whole, fraction] = text.split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
    const sign = v < 0 && /[1-9]/.test(text) ? '−' : '';
    return sign + grouped + (fraction ? `.${fraction}` : '');
  }

  // counted writes what was computed, no finer than anybody plans by.
  const counted = (v) => (v > 0 && v < model.finest ? `under ${model.finest}` : significant(v));

  const mebi = 2 ** 20;

  // spread writes an amount and, in words, what it may be as well.
  function spread(r, unit, scale, write = significant) {
    const [lo, middle, hi] = ends.map((end) => write(r[end] / scale));
    const shown = unit ? `${middle} ${unit}` : middle;
    return lo === middle && hi === middle ? shown : `${shown}, from ${lo} to ${hi}`;
  }

  // grant is what to type into the limits of one process, in MiB: a limit, and the
  // collector's own below it.
  function grant(n) {
    const limit = Math.ceil(n.limit / mebi);
    return { request: Math.ceil(n.memory.middle / n.processes / mebi), limit, soft: Math.floor(model.softLimit * limit) };
  }

  const millicores = (n) => Math.max(1, Math.ceil((1000 * n.cores.middle) / n.processes));

  // start is the command with the flags that the crowd needs, and the address to
  // serve it on.
  function start(of, people, address) {
    if (!of.command) return null;
    if (!of.clients) return of.command;
    return [...of.command, ...(address ? ['--http-addr', address] : []), of.clients, String(people)];
  }

  // free is what waits were measured with, which is more than their calls take.
  const free = model.cpus ? `${model.cpus} CPU${model.cpus > 1 ? 's' : ''}` : '';

  const list = (args) => `[${args.map((arg) => JSON.stringify(arg)).join(', ')}]`;

  const snippets = {
    kubernetes(n, g, of) {
      const command = start(of, n.people, ':8080');
      return [
        ...(command ? [`args: ${list(command.slice(1))}`] : []),
        'env:', '  - name: GOMEMLIMIT', `    value: ${g.soft}MiB`,
        'resources:', '  requests:', `    memory: ${g.request}Mi`,
        ...(n.cores === undefined || !free ? []
          : [`    # What calls take on average. Waits were measured with ${free} free for them: set no limit below that.`]),
        ...(n.cores === undefined ? [] : [`    cpu: ${millicores(n)}m`]),
        '  limits:', `    memory: ${g.limit}Mi`,
      ];
    },
    compose(n, g, of) {
      const command = start(of, n.people, ':8080');
      return [
        'services:', '  mcp:', '    image: …',
        ...(command ? [`    command: ${list(command.slice(1))}`] : []),
        ...(of.memory.process ? ['    stdin_open: true'] : []),
        '    environment:', `      GOMEMLIMIT: ${g.soft}MiB`,
        `    mem_reservation: ${g.request}m`, `    mem_limit: ${g.limit}m`,
      ];
    },
    systemd(n, g, of) {
      const command = start(of, n.people, '');
      return [
        '[Service]', `Environment=GOMEMLIMIT=${g.soft}MiB`, `MemoryMax=${g.limit}M`,
        ...(command ? [`ExecStart=/usr/local/bin/${command.join(' ')}`] : []),
      ];
    },
  };

  // snippet is what to paste into the settings of a platform.
  function snippet(n, platform, surface, transport) {
    if (!n.memory) return `# No limit can be given: ${n.noMemory}.`;
    const of = model.surfaces.find((s) => s.surface === surface && s.transport === transport);
    const each = of.memory.process ? ' Each of them has a process like this.' : '';
    return [
      `# ${significant(n.people)} people on ${surface} over ${transport}, a call of each every ${significant(n.every)} s.${each}`,
      `# From ${model.record.join(', ') || 'the record'}${model.host ? ` of ${model.host}` : ''}.`,
      ...snippets[platform](n, grant(n), of),
    ].join('\n');
  }

  const form = document.getElementById('calculator');
  const folder = form.dataset.record;

  // sources names the lines of the record that an amount comes from.
  function sources(refs) {
    const files = new Map();
    for (const ref of new Set(refs)) {
      const at = ref.lastIndexOf(':');
      const file = ref.slice(0, at);
      files.set(file, [...(files.get(file) || []), ref.slice(at + 1)]);
    }
    return [...files].map(([file, lines]) => `${file}, ${lines.length > 1 ? 'lines' : 'line'} ${lines.join(', ')}`).join('; ');
  }

  // put shows a text, as a link to where in the record it comes from if it does.
  function put(id, text, refs) {
    const at = document.getElementById(id);
    if (!refs || !refs.length || text === 'n/a') {
      at.textContent = text;
      return;
    }
    const link = document.createElement('a');
    const [file, line] = refs[0].split(/:(?=\d+$)/);
    Object.assign(link, { className: 'figure', href: `${folder}/${file}#L${line}`, title: sources(refs), textContent: text });
    at.replaceChildren(link);
  }

  function show() {
    const asked = form.elements;
    const [surface, transport] = [asked.surface.value, asked.transport.value];
    const n = need(surface, transport, Number(asked.people.value), Number(asked.every.value));
    const each = n.processes > 1 ? ' a process' : '';
    put('calc-memory', n.memory ? spread(n.memory, 'MiB', mebi) + (each && ' in all') : 'n/a', n.memoryRefs);
    put('calc-limit', n.memory ? `${significant(Math.ceil(n.limit / mebi))} MiB${each}` : 'n/a', n.memoryRefs);
    put('calc-cores', n.cores ? spread(n.cores, '', 1, counted) : 'n/a', n.refs);
    put('calc-p99', n.p99 ? spread(n.p99, 'ms', 1e6) : 'n/a', n.refs);
    put('calc-inflight', n.mean === undefined ? 'n/a'
      : `${counted(n.mean)} on average, ${significant(n.most)} at most`, n.refs);
    const reasons = [...new Set([n.noLoad, n.noMemory, n.noCores, n.noP99].filter(Boolean))];
    put('calc-reason', reasons.length ? `n/a: ${reasons.join('; ')}.` : '');
    put('calc-load', n.load
      ? `Times are those under ${n.load}${free && `, with ${free} free for the server at all times`}; at most is at ${significant(100 * model.crowded)}% of all moments.${
        n.past ? ' Memory is at most that of a step with as many credentials, all of them calling at once.' : ''}` : '');
    put('calc-snippet', snippet(n, asked.snippet.value, surface, transport));
  }

  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', show);
  form.hidden = false;
  show();

  return Object.freeze({ model, need, significant, snippet });
})();
