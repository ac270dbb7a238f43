// What the pages for signing in do with passkeys. It is served as it stands, and is all that runs there.
const main = document.querySelector('main');
const { does, rpId, origin, fresh, returnTo } = main.dataset;
const part = (id) => document.getElementById(id);

function tell(text) {
  const problem = part('problem');
  problem.textContent = text;
  problem.hidden = text === '';
}

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
const textOf = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const idsOf = (list = []) => list.map((each) => ({ ...each, id: bytesOf(each.id) }));

async function send(method, path, body, headers = {}) {
  const answer = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  const given = text === '' ? {} : JSON.parse(text);
  if (answer.ok) return given;
  if (given.code === 'fresh_sign_in_required') {
    location.assign('/login?fresh=true&return_to=/login');
    return new Promise(() => {});
  }
  throw new Error(given.detail ?? given.title ?? 'The service does not answer.');
}

const post = (path, body, headers) => send('POST', path, body, headers);

async function sign({ challenge, allowCredentials, ...options }) {
  const publicKey = { ...options, challenge: bytesOf(challenge), allowCredentials: idsOf(allowCredentials) };
  const { id, type, response } = await navigator.credentials.get({ publicKey });
  const { authenticatorData, clientDataJSON, signature, userHandle } = response;
  return {
    id,
    rawId: id,
    type,
    clientExtensionResults: {},
    response: {
      authenticatorData: textOf(authenticatorData),
      clientDataJSON: textOf(clientDataJSON),
      signature: textOf(signature),
      userHandle: userHandle ? textOf(userHandle) : undefined,
    },
  };
}

async function make({ challenge, user, excludeCredentials, ...options }) {
  const { id, type, response } = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(challenge),
      user: { ...user, id: bytesOf(user.id) },
      excludeCredentials: idsOf(excludeCredentials),
    },
  });
  return {
    id,
    rawId: id,
    type,
    clientExtensionResults: {},
    response: {
      attestationObject: textOf(response.attestationObject),
      clientDataJSON: textOf(response.clientDataJSON),
      transports: response.getTransports?.() ?? [],
    },
  };
}

const REASONS = {
  NotAllowedError: 'Nothing was confirmed. Try again.',
  InvalidStateError: 'This device already has a passkey of yours.',
  NotSupportedError: 'This device cannot create passkeys that the service accepts.',
};

/** Runs what a button or a form is for, once at a time. */
function on(element, event, work) {
  element?.addEventListener(event, async (given) => {
    given.preventDefault();
    const button = given.submitter ?? element;
    button.disabled = true;
    tell('');
    try {
      await work();
    } catch (error) {
      tell(REASONS[error.name] ?? error.message);
    }
    button.disabled = false;
  });
}

/** Shows codes until somebody has kept them. */
function showCodes(codes, next) {
  const list = document.querySelector('#codes ol');
  list.replaceChildren(
    ...codes.map((code) => {
      const item = document.createElement('li');
      item.textContent = code;
      return item;
    }),
  );
  part('codes').hidden = false;
  part('codes-title').focus();
  on(part('copy'), 'click', () => navigator.clipboard.writeText(codes.join('\n')));
  on(part('print'), 'click', () => print());
  part('kept').addEventListener('change', ({ target }) => {
    part('on').disabled = !target.checked;
  });
  part('on').addEventListener('click', () => location.assign(next));
}

const pages = {
  'sign-in'() {
    on(part('begin'), 'click', async () => {
      const { options } = await post('/auth/passkey/ask', { fresh: fresh === 'true' });
      const { continueAt } = await post('/auth/passkey', { answer: await sign(options), returnTo });
      location.assign(continueAt);
    });
  },

  async invitation() {
    const invitation = location.hash.slice(1);
    // Nobody who looks at the address, or goes back to it, finds the link.
    history.replaceState(null, '', location.pathname);
    const who = part('who');
    try {
      const { name, email } = await post('/auth/invitation/ask', { invitation });
      who.textContent = `You are invited as ${name}${name === email ? '' : ` (${email})`}.`;
    } catch (error) {
      who.hidden = true;
      throw error;
    }
    part('make').hidden = false;
    on(part('make'), 'submit', async () => {
      // What was asked for above may be too old by now.
      const { options } = await post('/auth/invitation/ask', { invitation });
      const passkeyName = part('name').value;
      const answer = await make(options);
      const { recoveryCodes } = await post('/auth/invitation', { answer, passkeyName });
      part('make').hidden = true;
      who.textContent = 'Your passkey is ready, and you are signed in.';
      showCodes(recoveryCodes, '/login');
    });
  },

  recovery() {
    on(part('make'), 'submit', async () => {
      const { options } = await post('/auth/recovery/ask', { code: part('code').value });
      const passkeyName = part('name').value;
      const { continueAt } = await post('/auth/recovery', { answer: await make(options), passkeyName });
      location.assign(continueAt);
    });
  },

  own() {
    const session = async () => ({ 'x-csrf-token': (await send('GET', '/auth/session')).csrfToken });
    on(part('add'), 'submit', async () => {
      const headers = await session();
      const { options } = await post('/auth/passkeys/ask', {}, headers);
      await post('/auth/passkeys', { answer: await make(options), passkeyName: part('name').value }, headers);
      location.reload();
    });
    for (const button of document.querySelectorAll('[data-remove]')) {
      on(button, 'click', async () => {
        if (!confirm('Remove this passkey? Your other sessions end.')) return;
        await send('DELETE', `/auth/passkeys/${button.dataset.remove}`, undefined, await session());
        location.reload();
      });
    }
    on(part('renew'), 'click', async () => {
      const { recoveryCodes } = await post('/auth/recovery-codes', undefined, await session());
      part('renew').hidden = true;
      showCodes(recoveryCodes, '/login');
    });
  },
};

const isHere = location.hostname === rpId || location.hostname.endsWith(`.${rpId}`);
if (!isHere) tell(`Passkeys work at ${origin} only.`);
else if (window.PublicKeyCredential === undefined) tell('This browser does not support passkeys.');
else Promise.resolve(pages[does]()).catch((error) => tell(error.message));
