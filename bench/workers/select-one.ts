import { neon, neonConfig } from '@neondatabase/serverless'
import { Hono } from 'hono'

interface Env {
  DATABASE_URL: string
  NEON_PROXY: Fetcher
}

/** One database round trip per request without work. */
const app = new Hono<{ Bindings: Env }>()

app.get('/*', async (c) => {
  neonConfig.fetchFunction = c.env.NEON_PROXY.fetch.bind(c.env.NEON_PROXY)
  neonConfig.fetchEndpoint = 'http://neon-proxy/sql' // only the path counts, because a binding has its address
  return c.json(await neon(c.env.DATABASE_URL).query('select 1 as one'))
})

export default app
