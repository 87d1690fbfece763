import type { AccountSessions } from "@tapeline/client"

export type Session = AccountSessions["sessions"][number]

export const isLive = ({ ended_at, ends_at }: Pick<Session, "ended_at" | "ends_at">, now: number): boolean =>
  ended_at === null && Date.parse(ends_at) > now

/** Splits sessions into valid and ended sessions, each with the current session first, and then sorted by last use. */
export const splitByState = (
  sessions: ReadonlyArray<Session>,
  now: number
): { readonly live: ReadonlyArray<Session>; readonly past: ReadonlyArray<Session> } => {
  // The service accepted the current session, so the session is valid even if this machine's clock says otherwise.
  const isSessionLive = (session: Session): boolean => session.current || isLive(session, now)
  const sorted = sessions.toSorted((a, b) =>
    Number(b.current) - Number(a.current) || Date.parse(b.last_used_at) - Date.parse(a.last_used_at)
  )
  return { live: sorted.filter(isSessionLive), past: sorted.filter((session) => !isSessionLive(session)) }
}
