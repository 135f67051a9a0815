import { Hono } from 'hono'

/** A minimal Worker: Hono, one route, a small JSON response. */
const app = new Hono()

app.get('/*', (c) => c.json({ ok: true }))

export default app
