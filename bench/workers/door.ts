import { Hono } from 'hono'

interface Env {
  PLAIN: Fetcher
  CACHED: Fetcher
  SELECT_ONE: Fetcher
}

/** Answers `/plain` itself and forwards everything else through a service binding, as the gateway does. */
const app = new Hono<{ Bindings: Env }>()

app.get('/plain', (c) => c.json({ ok: true }))
app.get('/bound', (c) => c.env.PLAIN.fetch(c.req.raw))
app.get('/cached', (c) => c.env.CACHED.fetch(c.req.raw))
app.get('/select-one', (c) => c.env.SELECT_ONE.fetch(c.req.raw))

export default app
