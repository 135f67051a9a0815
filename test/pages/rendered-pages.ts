// Every page, by the function that renders it, with a function that opens it for each of its states.
import { randomUUID } from 'node:crypto'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { newEmail } from '../support/checkout.ts'
import {
  asCanceller,
  asGuest,
  asNewVisitor,
  asSubscriber,
  at,
  buyAsVisitor,
  enterDiscountCode,
  enterWrongCode,
  openChange,
  PNG,
  requestCode,
  send,
  type Way,
  withOffers,
  withoutDatabase,
  withStatus,
  withUnits,
  writeTicket,
} from './scene.ts'
import { BUY, press, signIn } from './visitor.ts'

/** By the name of the function. */
export const RENDERED: Record<string, Record<string, Way>> = {
  paywallPage: {
    'of a guest': asGuest(''),
    'with other prices, in German': asGuest('?interval=month&locale=de'),
    'after nothing was bought': asGuest('?bought=nothing'),
    'of a subscriber': asSubscriber(''),
    'with local prices': asNewVisitor('', async ({ page, home }, { pages: { world } }) => {
      const response = await world.fetch(new URL(home).pathname, { cf: { country: 'IN' } })
      const headers = Object.fromEntries(response.headers)
      await page.route(home, async (route) => route.fulfill({ headers, body: await response.text() }))
      await page.reload()
      await page.getByRole('link', { name: 'DB-IP' }).waitFor()
    }),
    'with offers and a wrong code': withOffers((visitor) => enterDiscountCode(visitor, 'WRONG')),
    'with the offer of a code': withOffers((visitor) => enterDiscountCode(visitor, 'TEAM-2027')),
    'with numbers of units': withUnits((visitor) => visitor.page.getByLabel('Number of units').fill('3')),
    'where nothing was chosen': asNewVisitor('', (visitor) => send(visitor, { price: '' })),
  },
  stayedPage: {
    'of a subscriber': asCanceller(async (visitor) => {
      await press(visitor, 'Keep it at $44.50')
      await visitor.page.getByRole('heading', { name: "We're glad you're staying" }).waitFor()
    }),
  },
  leavingPage: {
    'while the processor is slow': asNewVisitor('', async (visitor, { pages: { world } }) => {
      await visitor.page.route(`${world.stripe.url}/**`, (route) => route.fulfill({ status: 204 }))
      await press(visitor, BUY)
      await visitor.page.getByRole('heading', { name: 'Redirecting to checkout…' }).waitFor()
    }),
  },
  thanksPage: {
    'of a guest': asGuest('/thanks'),
    'of a subscriber': asSubscriber('/thanks'),
    'while the purchase is being processed': asNewVisitor('', async (visitor, { pages: { world } }) => {
      await press(visitor, BUY)
      await visitor.page.waitForURL(`${world.stripe.url}/**`)
      await visitor.page.goto(`${visitor.home}/thanks`)
      await visitor.page.getByRole('heading', { name: 'Your payment is being processed' }).waitFor()
    }),
    'while processing takes long': asNewVisitor('/account', async (visitor) => {
      await signIn(visitor, newEmail())
      await visitor.page.route('**/session', (route) => route.abort())
      await visitor.page.goto(`${visitor.home}/thanks`)
      await visitor.page.getByText('This is taking longer than usual').waitFor()
    }),
  },
  accountPage: {
    'of a guest': asGuest('/account'),
    'of a guest who wants to buy': asGuest('/account?buy=price_1'),
    'that asks for the code': asNewVisitor('/account', requestCode),
    'whose code was wrong': asNewVisitor('/account', enterWrongCode),
    'of a user without purchases': asNewVisitor('/account', async (visitor) => {
      await signIn(visitor, newEmail())
      await visitor.page.goto(`${visitor.home}/account?restored=yes`)
    }),
    'of a subscriber': asSubscriber('/account'),
    'of a subscriber, in German': asSubscriber('/account?locale=de'),
    'in a trial': withStatus('trialing', ', trial_end = now()'),
    'whose payment failed': withStatus('past_due'),
    'whose subscription is paused': withStatus('paused'),
    'whose payment is processing': withStatus('pending'),
    'whose subscription ends': withStatus('active', ', cancel_at_period_end = true'),
    'with earlier purchases': async (scene) => {
      const page = await withStatus('canceled')(scene)
      await page.getByText('Earlier purchases').evaluate('(summary) => { summary.parentElement.open = true }')
      return page
    },
    'whose processor does not respond': async ({ pages: { world }, subscriber }) => {
      const page = await at(subscriber, '/account')
      world.stripe.onCall = () => Promise.reject(new DroppedCall())
      await press(subscriber, 'Payment method and invoices')
      await page.getByRole('alert').waitFor()
      world.stripe.onCall = undefined
      return page
    },
  },
  paymentsPage: {
    'of a buyer': asNewVisitor('/account', async (visitor, { pages }) => {
      await signIn(visitor, newEmail())
      await buyAsVisitor(pages, visitor, 'Yearly')
      await visitor.page.goto(`${visitor.home}/account/payments`)
    }),
  },
  receiptPage: {
    'while the processor does not respond': asNewVisitor('/account', async (visitor, { pages }) => {
      await signIn(visitor, newEmail())
      await buyAsVisitor(pages, visitor, 'Yearly')
      await visitor.page.goto(`${visitor.home}/account`)
      pages.world.stripe.onCall = () => Promise.reject(new DroppedCall())
      await press(visitor, /^Receipt: Yearly, /, 'link')
      await visitor.page.getByRole('alert').waitFor()
      pages.world.stripe.onCall = undefined
    }),
  },
  cancelPage: {
    'with a discount': asCanceller(),
    'with an offer of another price': async ({ subscriber }) => {
      const page = await at(subscriber, '/account')
      await press(subscriber, 'Cancel subscription', 'link')
      await page.getByRole('link', { name: 'Change to Monthly' }).waitFor()
      return page
    },
    'with an offer of the same price': asNewVisitor('/account', async (visitor, { pages }) => {
      await signIn(visitor, newEmail())
      await buyAsVisitor(pages, visitor, 'Monthly')
      await visitor.page.goto(`${visitor.home}/account`)
      await press(visitor, 'Cancel subscription', 'link')
      await visitor.page
        .getByRole('region', { name: 'Stay for another month' })
        .getByText('Keep subscription')
        .waitFor()
    }),
    'where no reason was given': async (scene) => {
      const { subscriber } = scene
      await RENDERED.cancelPage!['with an offer of another price']!(scene)
      const fields = { action: 'cancel', purchase: new URL(subscriber.page.url()).searchParams.get('purchase') ?? '' }
      await send(subscriber, { ...fields, reason: '' })
      await subscriber.page.getByRole('alert').waitFor()
      return subscriber.page
    },
  },
  changePage: {
    'of a trial': async ({ subscriber }) => openChange(subscriber, 'Monthly'),
    'of a trial, in German': async ({ subscriber }) => {
      const page = await openChange(subscriber, 'Monthly')
      await page.goto(`${page.url()}&locale=de`)
      return page
    },
    'of a change at the end of the period': asNewVisitor('/account', async (visitor, { pages }) => {
      await signIn(visitor, newEmail())
      await buyAsVisitor(pages, visitor, 'Monthly')
      await openChange(visitor, 'Yearly')
    }),
    'whose amount may have changed': asNewVisitor('/account', async (visitor, { pages }) => {
      await signIn(visitor, newEmail())
      await buyAsVisitor(pages, visitor, 'Monthly')
      await openChange(visitor, 'Yearly')
      await send(visitor, { quote: randomUUID() })
      await visitor.page.getByRole('alert').waitFor()
    }),
  },
  unitsPage: {
    'of a subscriber': withUnits(async (visitor, { pages }) => {
      await visitor.page.goto(`${visitor.home}/account`)
      await signIn(visitor, newEmail())
      await buyAsVisitor(pages, visitor, 'Monthly')
      await visitor.page.goto(`${visitor.home}/account`)
      await press(visitor, 'Change the number of units', 'link')
    }),
  },
  changedPage: {
    'at the end of the period': asNewVisitor('/account', async (visitor, { pages }) => {
      await signIn(visitor, newEmail())
      await buyAsVisitor(pages, visitor, 'Monthly')
      await openChange(visitor, 'Yearly')
      await press(visitor, /^Change on /)
      await visitor.page.getByRole('heading', { name: 'You will change to Yearly' }).waitFor()
    }),
  },
  ticketPage: {
    'of a guest': asGuest('/account/ticket'),
    'of a subscriber': asSubscriber('/account/ticket'),
    'of a ticket that was sent': asNewVisitor('/account/ticket', async (visitor) => {
      await writeTicket(visitor)
      await press(visitor, 'Send')
      await visitor.page.getByText('We received your message').waitFor()
    }),
    'of a ticket that was refused, with its images': asNewVisitor('/account/ticket', async (visitor) => {
      await writeTicket(visitor)
      await visitor.page.getByLabel(/Images/).setInputFiles([{ ...PNG, buffer: Buffer.from('<svg/>') }])
      await press(visitor, 'Send')
      await visitor.page.getByText('choose your images again').waitFor()
    }),
  },
  restorePage: {
    'that asks for the e-mail address': asGuest('/restore'),
    'that asks for the code': asNewVisitor('/restore', requestCode),
    'whose code was wrong': asNewVisitor('/restore', enterWrongCode),
  },
  failurePage: {
    'for an unknown paywall': async ({ pages: { world }, guest }) => {
      await guest.page.goto(`${world.url}/p/1/account`)
      return guest.page
    },
    'for a cross-site form': asNewVisitor('/account', async ({ page, home }) => {
      await page.route('http://evil.example/', (route) =>
        route.fulfill({ contentType: 'text/html', body: `<form method="post" action="${home}/account"><button>Win` }),
      )
      await page.goto('http://evil.example/')
      await page.getByRole('button').click()
      await page.getByRole('heading', { name: 'Something went wrong' }).waitFor()
    }),
    'for an outdated form': asNewVisitor('/account', (visitor) => send(visitor, { action: 'sign-ou' })),
    'for a form that is too large': asNewVisitor('/account', (visitor) => send(visitor, { code: 'x'.repeat(70_000) })),
    'with the form, to be sent again': asNewVisitor('/account', async (visitor, scene) => {
      await signIn(visitor, newEmail())
      await withoutDatabase(scene, () => send(visitor, { action: 'sign-out' }))
      await visitor.page.getByRole('button', { name: 'Try again' }).waitFor()
    }),
    'with the images of a ticket, to be chosen again': asNewVisitor('/account', async (visitor, scene) => {
      await signIn(visitor, newEmail())
      await visitor.page.goto(`${visitor.home}/account/ticket`)
      await writeTicket(visitor)
      await visitor.page.getByLabel(/Images/).setInputFiles([PNG])
      await withoutDatabase(scene, async () => {
        await press(visitor, 'Send')
        await visitor.page.getByText('choose your images again').waitFor()
      })
    }),
  },
  errorPage: {
    'of the gateway': async ({ pages: { world }, guest }) => {
      await guest.page.goto(`${world.url}/acount`)
      return guest.page
    },
    'of the checkout return': async ({ pages: { world }, guest }) => {
      await guest.page.goto(`${world.url}/r/${randomUUID()}/success`)
      return guest.page
    },
  },
}
