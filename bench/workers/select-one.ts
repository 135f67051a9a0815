import { neon, neonConfig } from '@neondatabase/serverless'
import { Hono } from 'hono'

interface Env {
  DATABASE_URL: string
  NEON_FETCH_ENDPOINT: string
}

/** One round trip to the database a request, and nothing to do there. */
const app = new Hono<{ Bindings: Env }>()

app.get('/*', async (c) => {
  neonConfig.fetchEndpoint = c.env.NEON_FETCH_ENDPOINT
  return c.json(await neon(c.env.DATABASE_URL).query('select 1 as one'))
})

export default app
