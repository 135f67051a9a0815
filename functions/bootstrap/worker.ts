import { readBearer } from '../../lib/auth/credential.ts'
import { connect } from '../../lib/db/connect.ts'
import { countryOf } from '../../lib/geo/country.ts'
import { allowOnly, createApp } from '../../lib/http/app.ts'
import { refuse } from '../../lib/http/errors.ts'
import { placeOf } from '../../lib/http/place.ts'
import { type PaywallRow, structureOf, versionOf } from '../../lib/paywall/structure.ts'
import { PATH, words } from './contract.ts'
import { edgeCached, notModified } from './edge-cache.ts'
import { readBootstrap, readUserBootstrap } from './read-bootstrap.sql.ts'

const app = createApp<Cloudflare.BootstrapEnv>()

app.get(PATH, async (c) => {
  const place = placeOf(c)
  const country = countryOf(c.req.raw)
  const credential = await readBearer(c.req, place.paywallId, c.env)
  if (credential.kind === 'bad_token') throw refuse(words.bad_token)

  if (credential.kind === 'user') {
    const row = await readUserBootstrap(connect(c.env), credential.userId, place)
    if (row.verdict !== 'found') throw refuse(words[row.verdict])
    const { paid, purchases, balances, trial } = row
    c.header('Cache-Control', 'private, no-store')
    const user = { ...row.user, paid, purchases, balances, trial }
    return c.json({ ...(await payloadOf(row.paywall, country)), user })
  }

  const response = await edgeCached(c.executionCtx, { ...place, country }, async () => {
    const row = await readBootstrap(connect(c.env), place)
    if (row.verdict !== 'found') throw refuse(words[row.verdict])
    return payloadOf(row.paywall, country)
  })
  return notModified(c.req.header('if-none-match'), response) ?? response
})

app.all(PATH, allowOnly('GET', 'HEAD'))

async function payloadOf(paywall: PaywallRow, country: string) {
  const structure = structureOf(paywall, country)
  return { version: await versionOf(structure), ...structure }
}

export default app
