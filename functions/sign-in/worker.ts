import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { CODE_PATH, END_PATH, EXCHANGE_PATH, TOKEN_PATH } from './contract.ts'
import { exchangeTokens } from './exchange-tokens.ts'
import { issueTokens } from './issue-tokens.ts'
import { sendCode } from './send-code.ts'
import { signOut } from './sign-out.ts'

/** These routes share a Worker because they share one secret, the private signing key. */
const app = createApp<Cloudflare.SignInEnv>()

app.post(CODE_PATH, sendCode).all(allowOnly('POST'))
app.post(TOKEN_PATH, issueTokens).all(allowOnly('POST'))
app.post(END_PATH, signOut).all(allowOnly('POST'))
app.post(EXCHANGE_PATH, exchangeTokens).all(allowOnly('POST'))

export default app
