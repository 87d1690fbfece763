import { useQueryClient } from "@tanstack/react-query"
import { type Asked, type Doing, useAsk, useDo } from "../../asking/useAsk.ts"
import { wholeList } from "../../asking/wholeList.ts"
import type { Session } from "./list.ts"

const sessionsKey = ["sessions"] as const

/** All of the account's sessions, those that ended within a month too. */
export const useSessions = (): Asked<{ readonly sessions: ReadonlyArray<Session> }> =>
  useAsk(sessionsKey, async (client, options) => ({
    sessions: await wholeList(async (cursor) => {
      const { next_cursor, sessions } = await client.account.sessions({ cursor, limit: 1000 }, options)
      return { items: sessions, next: next_cursor }
    })
  }))

const useListAnew = (): () => void => {
  const kept = useQueryClient()
  return () => void kept.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === sessionsKey[0] })
}

export const useEnd = (done: () => void): Doing<number, void> => {
  const anew = useListAnew()
  return useDo<number, void>((client, id) => client.account.endSession(id).finally(anew), done)
}

/** Ends all but this one; `done` is told how many. */
export const useEndOthers = (done: (ended: number) => void): Doing<void, { readonly ended: number }> => {
  const anew = useListAnew()
  return useDo<void, { readonly ended: number }>(
    (client) => client.account.endOtherSessions().finally(anew),
    ({ ended }) => done(ended)
  )
}
