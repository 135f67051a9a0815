// Prints new secrets for the service as dotenv: npm run -s secrets > production.env, then add DATABASE_URL.
import { makeSecrets } from '../world/secrets.ts'

const {
  ACCESS_TOKEN_PRIVATE_KEY,
  ACCESS_TOKEN_PUBLIC_KEYS,
  SIGN_IN_CODE_KEY,
  CONSOLE_CODE_KEY,
  PROCESSOR_CREDENTIALS_KEY,
  WEBHOOK_SECRETS_KEY,
  TURNSTILE_SECRETS_KEY,
  DATABASE_ROLES_KEY,
} = await makeSecrets()
const own = {
  ACCESS_TOKEN_PRIVATE_KEY,
  ACCESS_TOKEN_PUBLIC_KEYS,
  SIGN_IN_CODE_KEY,
  CONSOLE_CODE_KEY,
  PROCESSOR_CREDENTIALS_KEY,
  WEBHOOK_SECRETS_KEY,
  TURNSTILE_SECRETS_KEY,
  DATABASE_ROLES_KEY,
}
for (const [name, value] of Object.entries(own)) console.log(`${name}='${value}'`)
