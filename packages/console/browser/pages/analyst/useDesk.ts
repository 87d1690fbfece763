import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useCallback, useSyncExternalStore } from "react"
import { useAccess } from "../../access/Access.tsx"
import { patienceMs } from "../../asking/service.ts"
import { usageKey } from "../../asking/usageKey.ts"
import { Desk, type Place, type Session } from "./Desk.ts"

/** What is asked for of conversations begins with these. */
export const listKey = ["analyst", "list"] as const
export const conversationKey = (id: number) => ["analyst", "conversation", id] as const

/** So many messages are read at a time. */
export const pageLength = 30

const desks = new Map<number, Desk>()

const makeDesk = (identity: number, kept: QueryClient): Desk =>
  new Desk({
    begun: () => void kept.invalidateQueries({ queryKey: [identity, ...listKey] }),
    settle: async (client, conversation, after) => {
      const queryKey = [identity, ...conversationKey(conversation)]
      const page = { order: "newest", limit: pageLength } as const
      const view = await client.conversations.read(conversation, page, { timeout_ms: patienceMs })
      await kept.cancelQueries({ queryKey })
      kept.setQueryData(queryKey, view)
      for (const key of [listKey, usageKey]) void kept.invalidateQueries({ queryKey: [identity, ...key] })
      return view.messages.find(({ id, role }) => role === "assistant" && id > after)?.id
    }
  })

/** The desk of who is signed in. Of who was before nothing is read any more. */
export const useDesk = (): Desk => {
  const { identity } = useAccess()
  const kept = useQueryClient()
  const known = desks.get(identity)
  if (known !== undefined) return known
  for (const [other, desk] of desks) {
    desk.leave()
    desks.delete(other)
  }
  const desk = makeDesk(identity, kept)
  desks.set(identity, desk)
  return desk
}

/** The answer that is read here in a conversation, as it comes. */
export const useSession = (desk: Desk, place: Place): Session | undefined =>
  useSyncExternalStore(desk.subscribe, useCallback(() => desk.session(place), [desk, place]))
