/** Identifies a user by e-mail address, user id or external id. If several are given, all must belong to the same user. */
export interface Identity {
  email?: string
  userId?: string
  externalId?: string
}

/** The snake_case names that the API's older operations use. */
export const snakeCase = ({ email, userId, externalId }: Identity) => ({
  ...(email !== undefined && { email }),
  ...(userId !== undefined && { user_id: userId }),
  ...(externalId !== undefined && { external_id: externalId }),
})
