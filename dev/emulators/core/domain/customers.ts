import { type AccountContext, all, find, newRecord } from './context.ts'
import type { CustomerRecord } from './selling-records.ts'

export function newCustomer(
  context: AccountContext,
  given: Pick<CustomerRecord, 'email'> & Partial<CustomerRecord>,
): CustomerRecord {
  const customer: CustomerRecord = {
    ...newRecord(context, 'customers'),
    name: null,
    balance: 0,
    declines: false,
    own: {},
    ...given,
  }
  context.records.customers.set(customer.id, customer)
  return customer
}

/** The customers with an address, ignoring case. */
export const customersAt = (context: AccountContext, address: string) =>
  all(context, 'customers').filter(({ email }) => email?.toLowerCase() === address.toLowerCase())

/** The same for processors that have one customer for each address. */
export const customerAt = (context: AccountContext, address: string) => customersAt(context, address).at(0)

/** Whether charges of the customer's stored payment method fail. */
export const declines = (context: AccountContext, customer: string | null) =>
  customer !== null && find(context, 'customers', customer).declines
