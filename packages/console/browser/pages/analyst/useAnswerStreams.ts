import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import type { ConversationView } from "@tapeline/client"
import { useCallback, useSyncExternalStore } from "react"
import { useAccess } from "../../access/Access.tsx"
import { requestTimeoutMs } from "../../requests/makeClient.ts"
import { usageKey } from "../../requests/sharedRequests.ts"
import { type AnswerSession, AnswerStreams, type ConversationTarget, type Question } from "./AnswerStreams.ts"

export const conversationsKey = ["analyst", "list"] as const
export const conversationKey = (id: number) => ["analyst", "conversation", id] as const

export const pageLength = 30

/**
 * Returns a placeholder for a new conversation with the question as the title. The placeholder is shown until the
 * conversation is loaded.
 */
const placeholderView = (id: number, { lang, mode, text }: Question): ConversationView => {
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

/** The `AnswerStreams` of each sign-in, keyed by the signal that is aborted when the sign-in ends. */
const streamsBySignIn = new WeakMap<AbortSignal, AnswerStreams>()

const makeAnswerStreams = (identity: number, queryClient: QueryClient): AnswerStreams =>
  new AnswerStreams({
    onStarted: (conversation, question) => {
      const queryKey = [identity, ...conversationKey(conversation)]
      // The page shows a placeholder for a new conversation at once, and replaces the placeholder when the conversation
      // is loaded.
      if (question !== undefined && queryClient.getQueryData(queryKey) === undefined) {
        queryClient.setQueryData(queryKey, placeholderView(conversation, question), { updatedAt: 0 })
      }
      void queryClient.invalidateQueries({ queryKey: [identity, ...conversationsKey] })
    },
    settle: async (client, conversation, after) => {
      const queryKey = [identity, ...conversationKey(conversation)]
      const page = { order: "newest", limit: pageLength } as const
      const view = await client.conversations.read(conversation, page, { timeout_ms: requestTimeoutMs })
      await queryClient.cancelQueries({ queryKey })
      queryClient.setQueryData(queryKey, view)
      for (const key of [conversationsKey, usageKey]) {
        void queryClient.invalidateQueries({ queryKey: [identity, ...key] })
      }
      return view.messages.find(({ id, proposal_id: proposal, role }) =>
        role === "assistant" && proposal === undefined && id > after
      )?.id
    }
  })

/** Returns the answer streams of the current sign-in, which close when the sign-in ends. */
export const useAnswerStreams = (): AnswerStreams => {
  const { identity, signal } = useAccess()
  const queryClient = useQueryClient()
  const existing = streamsBySignIn.get(signal)
  if (existing !== undefined) return existing
  const streams = makeAnswerStreams(identity, queryClient)
  signal.addEventListener("abort", () => streams.close())
  streamsBySignIn.set(signal, streams)
  return streams
}

export const useAnswerSession = (streams: AnswerStreams, target: ConversationTarget): AnswerSession | undefined => {
  const getSession = useCallback(() => streams.session(target), [streams, target])
  return useSyncExternalStore(streams.subscribe, getSession, getSession)
}
