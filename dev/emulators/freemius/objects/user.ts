import type { UserEntity } from '@freemius/sdk'
import type { CustomerRecord } from '../../core/domain/selling-records.ts'
import { dateTime, type Full } from './wire.ts'

export function userObject({ id, created, email }: CustomerRecord): Omit<Full<UserEntity>, 'auth' | 'note'> {
  return {
    ...{ id, created: dateTime(created), updated: null, email: email ?? '', first: '', last: '', picture: '' },
    ...{ ip: '127.0.0.1', is_verified: true, is_marketing_allowed: null, is_beta: false, gross: 0 },
    ...{ secret_key: `sk_${id}`, public_key: `pk_${id}`, last_login_at: null, email_status: 'delivered' },
  }
}

/** Freemius knows a user by the address, however that is written. */
export const hasAddress = ({ email }: CustomerRecord, address: string | undefined) =>
  email?.toLowerCase() === address?.toLowerCase()
