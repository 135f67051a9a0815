// The console's pages, at its own origin. `mode`: test or live, so that a link shows the same to everybody.
const MODE = '/:mode{test|live}'

export const FRONT_PATH = '/'
export const SIGN_IN_PATH = '/sign-in'
export const SIGN_OUT_PATH = '/sign-out'
/** Shows the console of another owner in whose team the person is. */
export const OWNER_PATH = '/owner'
export const OVERVIEW_PATH = `${MODE}/overview`
export const USERS_PATH = `${MODE}/users`
export const USER_PATH = `${MODE}/users/:user`
export const EVENTS_PATH = `${MODE}/events`
/** Sends events again. */
export const REPLAY_PATH = `${MODE}/events/replay`
export const EVENT_PATH = `${MODE}/events/:event`
export const WEBHOOKS_PATH = `${MODE}/webhooks`
/** Sends a test event. */
export const PING_PATH = `${MODE}/webhooks/test`
export const ROTATE_PATH = `${MODE}/webhooks/rotate`
export const TICKETS_PATH = `${MODE}/tickets`
export const TICKET_PATH = `${MODE}/tickets/:ticket`
export const TICKET_IMAGE_PATH = `${MODE}/tickets/:ticket/images/:key{.+}`
export const KEYS_PATH = '/keys'
export const AUDIT_LOG_PATH = '/audit-log'
export const ASSET_PATH = '/assets/:file'
