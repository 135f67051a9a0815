import { Paywall } from 'paywall-billing-sdk'
import { createPaywall } from 'paywall-billing-sdk/browser'
import { webhooks } from 'paywall-billing-sdk/webhooks'

/** The Worker's bindings. */
export interface OwnerEnv {
  KEY: string
  PAYWALL: string
  SERVICE: string
  SECRET: string
}

const received: string[] = []

/** An owner's backend as a Worker. `GET` of a path runs the action of that name, and returns its result as JSON. */
export default {
  async fetch(request: Request, env: OwnerEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/webhooks') {
      const on = { 'subscription.created': ({ id }: { id: string }) => received.push(id) }
      return webhooks({ secret: env.SECRET, test: true, on })(request)
    }
    return Response.json(await ACTS[pathname]?.(env, searchParams.get('email') ?? ''))
  },
}

const owner = ({ KEY: key, PAYWALL: paywall, SERVICE: baseUrl }: OwnerEnv) => new Paywall({ key, paywall, baseUrl })

const ACTS: Record<string, (env: OwnerEnv, email: string) => Promise<unknown>> = {
  '/received': async () => received,
  '/sell': (env, email) => {
    const targets = { successUrl: 'https://owner.example/thanks', errorUrl: 'https://owner.example/sorry' }
    return owner(env).checkout({ email, price: 'monthly', ...targets })
  },
  '/user': async (env, email) => {
    const user = await owner(env).user({ email })
    return { paid: user?.paid, tokens: user?.balance('standard') }
  },
  '/debit': (env, email) => owner(env).debit({ email }, 'standard', 30, { key: 'job-42' }),
  '/ticket': (env, email) => {
    const files = [new Blob([Uint8Array.from(PIXEL)], { type: 'image/png' })]
    return owner(env).ticket({ customer_email: email, subject: 'It does not load', content: 'I paid.', files })
  },
  '/guest': async ({ PAYWALL: paywall, SERVICE: service }) => {
    const guest = await createPaywall(service, { paywall })
    const targets = { successUrl: 'https://owner.example/thanks', errorUrl: 'https://owner.example/sorry' }
    const { acquiring } = await guest.open('monthly', targets)
    return { acquiring, paid: (await guest.refresh())?.paid }
  },
}

/** The first bytes of a PNG. */
const PIXEL = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
