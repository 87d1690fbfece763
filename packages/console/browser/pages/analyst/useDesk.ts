import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import type { ConversationView } from "@tapeline/client"
import { useCallback, useSyncExternalStore } from "react"
import { useAccess } from "../../access/Access.tsx"
import { patienceMs } from "../../asking/service.ts"
import { usageKey } from "../../asking/usageKey.ts"
import { Desk, type Place, type Question, type Session } from "./Desk.ts"

/** The cache keys of conversations begin with these. */
export const listKey = ["analyst", "list"] as const
export const conversationKey = (id: number) => ["analyst", "conversation", id] as const

/** The number of messages per request. */
export const pageLength = 30

/** A new conversation before it is loaded: empty, with its first question as the title. */
const unread = (id: number, { lang, mode, text }: Question): ConversationView => {
  const now = new Date().toISOString()
  return {
    id,
    title: text.slice(0, 60),
    mode,
    lang: lang ?? "en",
    created_at: now,
    updated_at: now,
    running: true,
    messages: [],
    next_cursor: null
  }
}

/** One desk per sign-in, by the signal of its end. */
const desks = new WeakMap<AbortSignal, Desk>()

const makeDesk = (identity: number, kept: QueryClient): Desk =>
  new Desk({
    begun: (conversation, question) => {
      const queryKey = [identity, ...conversationKey(conversation)]
      // The page shows the answer immediately and loads the conversation at the same time.
      if (question !== undefined && kept.getQueryData(queryKey) === undefined) {
        kept.setQueryData(queryKey, unread(conversation, question), { updatedAt: 0 })
      }
      void kept.invalidateQueries({ queryKey: [identity, ...listKey] })
    },
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

/** The desk of the current sign-in. It stops reading when the sign-in ends. */
export const useDesk = (): Desk => {
  const { identity, signal } = useAccess()
  const kept = useQueryClient()
  const known = desks.get(signal)
  if (known !== undefined) return known
  const desk = makeDesk(identity, kept)
  signal.addEventListener("abort", () => desk.leave())
  desks.set(signal, desk)
  return desk
}

/** The answer that this page reads in a conversation, as it arrives. */
export const useSession = (desk: Desk, place: Place): Session | undefined =>
  useSyncExternalStore(desk.subscribe, useCallback(() => desk.session(place), [desk, place]))
