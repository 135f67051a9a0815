// The owner's console: its pages, on its own origin. Every page needs a session, and is one database call that checks it.
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { requireSameOrigin } from '../../lib/http/same-origin.ts'
import { serveAsset } from './assets.ts'
import { serveAuditLog } from './audit-log.ts'
import { replay, serveEvent, serveEvents } from './events.ts'
import { revoke, serveKeys } from './keys.ts'
import { serveOverview } from './overview.ts'
import {
  ASSET_PATH,
  AUDIT_LOG_PATH,
  EVENT_PATH,
  EVENTS_PATH,
  FRONT_PATH,
  KEYS_PATH,
  OVERVIEW_PATH,
  OWNER_PATH,
  PING_PATH,
  REPLAY_PATH,
  ROTATE_PATH,
  SIGN_IN_PATH,
  SIGN_OUT_PATH,
  TICKET_IMAGE_PATH,
  TICKET_PATH,
  TICKETS_PATH,
  USER_PATH,
  USERS_PATH,
  WEBHOOKS_PATH,
} from './paths.ts'
import { renderErrorPage } from './render-error-page.ts'
import { chooseOwner, serveSignIn, signIn, signOut } from './sign-in.ts'
import { actOnTicket, serveTicket, serveTicketImage, serveTickets } from './tickets.ts'
import { actOnUser } from './user-acts.ts'
import { serveFront, serveUser, serveUsers } from './users.ts'
import { changeWebhook, rotateSecret, sendTestEvent, serveWebhooks } from './webhooks.ts'

const GET = ['GET', 'HEAD']

const app = createApp<Cloudflare.ConsoleEnv>({ renderError: renderErrorPage })
app.use(requireSameOrigin())

app.get(FRONT_PATH, serveFront).all(allowOnly(...GET))
app
  .get(SIGN_IN_PATH, serveSignIn)
  .post(signIn)
  .all(allowOnly(...GET, 'POST'))
app.post(SIGN_OUT_PATH, signOut).all(allowOnly('POST'))
app.post(OWNER_PATH, chooseOwner).all(allowOnly('POST'))
app.get(OVERVIEW_PATH, serveOverview).all(allowOnly(...GET))
app.get(USERS_PATH, serveUsers).all(allowOnly(...GET))
app
  .get(USER_PATH, serveUser)
  .post(actOnUser)
  .all(allowOnly(...GET, 'POST'))
app.get(EVENTS_PATH, serveEvents).all(allowOnly(...GET))
app.post(REPLAY_PATH, replay).all(allowOnly('POST'))
app.get(EVENT_PATH, serveEvent).all(allowOnly(...GET))
app
  .get(WEBHOOKS_PATH, serveWebhooks)
  .post(changeWebhook)
  .all(allowOnly(...GET, 'POST'))
app.post(PING_PATH, sendTestEvent).all(allowOnly('POST'))
app.post(ROTATE_PATH, rotateSecret).all(allowOnly('POST'))
app.get(TICKETS_PATH, serveTickets).all(allowOnly(...GET))
app
  .get(TICKET_PATH, serveTicket)
  .post(actOnTicket)
  .all(allowOnly(...GET, 'POST'))
app.get(TICKET_IMAGE_PATH, serveTicketImage).all(allowOnly(...GET))
app
  .get(KEYS_PATH, serveKeys)
  .post(revoke)
  .all(allowOnly(...GET, 'POST'))
app.get(AUDIT_LOG_PATH, serveAuditLog).all(allowOnly(...GET))
app.get(ASSET_PATH, serveAsset).all(allowOnly(...GET))

export default app
