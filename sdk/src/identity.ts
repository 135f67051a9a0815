/** Whom a call is about: by address, by the service's id, or by the owner's own. If several are given, all must be the same user's. */
export interface Identity {
  email?: string
  userId?: string
  externalId?: string
}

/** The names that the older operations give them. */
export const snakeCase = ({ email, userId, externalId }: Identity) => ({
  ...(email !== undefined && { email }),
  ...(userId !== undefined && { user_id: userId }),
  ...(externalId !== undefined && { external_id: externalId }),
})
