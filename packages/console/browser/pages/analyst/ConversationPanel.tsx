import { useQueryClient } from "@tanstack/react-query"
import type { Message } from "@tapeline/client"
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { useAccess } from "../../access/Access.tsx"
import { creditTexts as creditsIn } from "../../i18n/creditTexts.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { readUsage, usageKey } from "../../requests/sharedRequests.ts"
import { useAction, useRequest } from "../../requests/useRequest.ts"
import { navigate } from "../../router/location.ts"
import { fillPath } from "../../router/route.ts"
import { showToast } from "../../widgets/toasts.tsx"
import { AnswerNote } from "./AnswerNote.tsx"
import type { AnswerStreams, ConversationTarget } from "./AnswerStreams.ts"
import { Composer, type Draft, noDraft } from "./Composer.tsx"
import styles from "./ConversationPanel.module.css"
import { hasShownOutput } from "./liveAnswer.ts"
import { MessageList } from "./MessageList.tsx"
import { openProposalMessage } from "./proposals.ts"
import { analystTexts } from "./texts.ts"
import { conversationKey, useAnswerSession, useAnswerStreams } from "./useAnswerStreams.ts"

/**
 * Returns the formatted price of an answer, or undefined until the price is known. `hint` is the text that the page
 * shows next to the question field.
 */
const useAnswerPrice = (): { readonly credits: string | undefined; readonly hint: string | undefined } => {
  const texts = useTexts(analystTexts)
  const { language } = useLanguage()
  const { day } = useNumbers()
  const price = useRequest(
    ["analyst", "price"],
    (client, options) => client.quote([{ name: "agent.answer", count: 1 }], options),
    { freshMs: 600_000 }
  )
  const isDisabled = price.state !== "loaded" || price.data.affordable
  const usage = useRequest(usageKey, readUsage, { isDisabled })
  if (price.state !== "loaded") return { credits: undefined, hint: undefined }
  const { affordable, total } = price.data
  const renewal = usage.state === "loaded" ? `. ${texts.renew(day(usage.data.renews_at))}` : ""
  return {
    credits: creditsIn[language](total),
    hint: affordable ? texts.price(total) : `${texts.unaffordable}${renewal}`
  }
}

const openConversation = (conversation: number) =>
  navigate(fillPath("/analyst/:conversation", { conversation: String(conversation) }), { replace: true })

/**
 * Returns an action that cancels the running answer of a conversation. The service stores the text that was written
 * before the cancellation.
 */
const useCancel = () => {
  const texts = useTexts(analystTexts)
  const cancellation = useAction((client, conversation: number) => client.agent.cancel(conversation))
  const { isRunning, run, problem } = cancellation
  useEffect(() => {
    if (problem !== undefined) showToast(texts.stopFailed, "bad")
  }, [problem, texts])
  return { stop: run, isStopping: isRunning }
}

/**
 * Opens the conversation that a new question has started. The conversation opens even if the user has left the page and
 * returned.
 */
const useOpenStarted = (streams: AnswerStreams, target: ConversationTarget): void => {
  const started = useSyncExternalStore(
    streams.subscribe,
    streams.startedConversation,
    streams.startedConversation
  )
  useEffect(() => {
    streams.markOpened(target)
    if (target === "new" && started !== undefined) openConversation(started)
  }, [started, streams, target])
}

interface ConversationPanelProps {
  readonly target: ConversationTarget
  readonly messages: ReadonlyArray<Message>
  readonly before: Parameters<typeof MessageList>[0]["before"]
  readonly mode: Draft["mode"] | undefined
  readonly empty: Parameters<typeof MessageList>[0]["empty"]
  readonly initialText: string
}

const useConversation = (
  { initialText, messages, mode, target }: ConversationPanelProps,
  fieldRef: RefObject<HTMLTextAreaElement | null>
) => {
  const { client, identity, endIfSignedOut } = useAccess()
  const queryClient = useQueryClient()
  const streams = useAnswerStreams()
  const answer = useAnswerSession(streams, target)
  const [draft, setDraft] = useState<Draft>(() => ({ ...noDraft, text: initialText, mode: mode ?? "analyst" }))
  const endIfSignedOutRef = useRef(endIfSignedOut)
  useEffect(() => {
    endIfSignedOutRef.current = endIfSignedOut
  }, [endIfSignedOut])
  useEffect(() => void endIfSignedOutRef.current(answer?.error), [answer?.error])
  const { isStopping, stop } = useCancel()
  useOpenStarted(streams, target)
  const newest = messages.at(-1)?.id ?? 0
  const ask = (question: Draft) => {
    const answers = openProposalMessage(messages.at(-1))
    streams.ask(client, target, { ...question, answers }, newest)
  }
  const regenerate = () => {
    if (target !== "new") streams.regenerate(client, target, newest)
  }
  const edit = () => {
    if (answer?.question !== undefined) setDraft(answer.question)
    streams.dismiss(target)
    fieldRef.current?.focus()
  }
  const reloadConversation = () => {
    edit()
    if (target !== "new") void queryClient.invalidateQueries({ queryKey: [identity, ...conversationKey(target)] })
  }
  const retry = () => {
    if (answer === undefined) return
    if (answer.state === "ended") regenerate()
    else if (answer.isStarted && target !== "new") streams.follow(client, target, answer)
    else streams.askAgain(client, target)
  }
  return {
    streams,
    answer,
    draft,
    setDraft,
    regenerate,
    askText: (text: string) => ask({ ...draft, text, images: [] }),
    send: () => {
      ask(draft)
      setDraft({ ...draft, text: "", images: [] })
    },
    stop: isStopping || answer?.stop !== undefined ? undefined : () => streams.stop(target, stop),
    actions: {
      onEdit: edit,
      onRetry: retry,
      onFollow: reloadConversation,
      onCancelOther: () => {
        if (target !== "new") stop(target)
        reloadConversation()
      }
    }
  }
}

export const ConversationPanel = (props: ConversationPanelProps) => {
  const { before, empty, messages, target } = props
  const texts = useTexts(analystTexts)
  const fieldRef = useRef<HTMLTextAreaElement>(null)
  const { regenerate, askText, streams, draft, send, answer, setDraft, stop, actions } = useConversation(
    props,
    fieldRef
  )
  const { credits, hint } = useAnswerPrice()
  const isRunning = answer?.state === "running"
  // In a new conversation, the question field gets the focus, so that the user can type the next question immediately.
  const [shouldFocus] = useState(target === "new" || streams.startedConversation() === target)
  useEffect(() => {
    if (shouldFocus && matchMedia("(hover: hover)").matches) fieldRef.current?.focus()
  }, [shouldFocus])
  return (
    <>
      <MessageList
        streams={streams}
        messages={messages}
        before={before}
        answer={answer}
        note={<AnswerNote answer={answer} actions={actions} />}
        empty={empty}
        onAsk={askText}
        onRegenerate={regenerate}
        price={credits}
      />
      <div className={styles["foot"]}>
        <Composer
          draft={draft}
          change={setDraft}
          fieldRef={fieldRef}
          hint={!isRunning ? hint : hasShownOutput(answer.live) ? texts.stopCharged : texts.stopFree}
          isNew={target === "new"}
          isRunning={isRunning}
          onSend={send}
          onStop={stop}
        />
      </div>
    </>
  )
}
