/** What a member of an owner's team may do in the console: see team.sql. */
export const TEAM_ROLES = ['admin', 'support', 'viewer'] as const

export type TeamRole = (typeof TEAM_ROLES)[number]
