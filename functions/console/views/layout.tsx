import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import { SCRIPT_PATH, STYLE_PATH } from '../../../generated/console-assets.ts'
import { AUDIT_LOG_PATH, KEYS_PATH, OWNER_PATH, SIGN_OUT_PATH } from '../paths.ts'
import type { Mode, Viewer } from '../session.ts'

/** The sections of the console: their names, what they require, and their addresses in a mode. */
const SECTIONS = [
  { name: 'Overview', permission: 'read_figures', path: (mode: Mode) => `/${mode}/overview` },
  { name: 'Users', permission: 'read_users', path: (mode: Mode) => `/${mode}/users` },
  { name: 'Events', permission: 'read_events', path: (mode: Mode) => `/${mode}/events` },
  { name: 'Webhooks', permission: 'read_webhooks', path: (mode: Mode) => `/${mode}/webhooks` },
  { name: 'Tickets', permission: 'read_tickets', path: (mode: Mode) => `/${mode}/tickets` },
  { name: 'Keys', permission: 'read_keys', path: () => KEYS_PATH },
  { name: 'Audit log', permission: 'read_audit_log', path: () => AUDIT_LOG_PATH },
] as const

export interface Page {
  title: string
  /** The name of its section. */
  section: (typeof SECTIONS)[number]['name']
  /** Null: the page is about both modes. */
  mode: Mode | null
  viewer: Viewer
  children: Child
}

/** The frame of the console's pages: sections, mode, owner, and whoever is signed in. */
export const consolePage = ({ title, section, mode, viewer, children }: Page) =>
  document(
    title,
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <nav aria-label="Sections">
          {SECTIONS.filter(({ permission }) => viewer.permissions.includes(permission)).map(({ name, path }) => (
            <a href={path(mode ?? 'live')} aria-current={name === section ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        {mode && <ModeSwitch mode={mode} section={section} />}
        <Account viewer={viewer} />
      </header>
      <main id="content" data-live>
        <h1>{title}</h1>
        {children}
      </main>
    </>,
  )

function ModeSwitch({ mode, section }: { mode: Mode; section: Page['section'] }) {
  const { path } = SECTIONS.find(({ name }) => name === section) ?? SECTIONS[0]
  return (
    <nav class="modes" aria-label="Mode">
      {(['live', 'test'] as const).map((each) => (
        <a href={path(each)} aria-current={each === mode ? 'true' : undefined}>
          {each === 'live' ? 'Live' : 'Test'}
        </a>
      ))}
    </nav>
  )
}

function Account({ viewer: { email, role, owner, others } }: { viewer: Viewer }) {
  return (
    <details class="account">
      <summary>{owner.email}</summary>
      <p>
        {email}, {role}
      </p>
      {others.map(({ id, email: other }) => (
        <form method="post" action={OWNER_PATH}>
          <input type="hidden" name="owner" value={id} />
          <button type="submit">Switch to {other}</button>
        </form>
      ))}
      <form method="post" action={SIGN_OUT_PATH}>
        <button type="submit">Sign out</button>
      </form>
    </details>
  )
}

/** An HTML document with the console's style. */
export const document = (title: string, body: Child) =>
  html`<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title} · Console</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={STYLE_PATH} />
        <script type="module" src={SCRIPT_PATH} />
      </head>
      <body>{body}</body>
    </html>
  )}`
