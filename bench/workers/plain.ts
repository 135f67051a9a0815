import { Hono } from 'hono'

/** The least that a Worker of ours can be: Hono, one route, a small JSON answer. */
const app = new Hono()

app.get('/*', (c) => c.json({ ok: true }))

export default app
