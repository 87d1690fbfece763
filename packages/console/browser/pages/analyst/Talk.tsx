import { useQueryClient } from "@tanstack/react-query"
import type { Message } from "@tapeline/client"
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { useAccess } from "../../access/Access.tsx"
import { usageKey } from "../../asking/usageKey.ts"
import { useAsk, useDo } from "../../asking/useAsk.ts"
import { navigate } from "../../router/location.ts"
import { filled } from "../../router/route.ts"
import { toast } from "../../widgets/toasts.tsx"
import { credits as creditsIn } from "../../words/credits.ts"
import { useLanguage } from "../../words/Languages.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { AnswerNote } from "./AnswerNote.tsx"
import { Composer, type Draft, noDraft } from "./Composer.tsx"
import type { Desk, Place } from "./Desk.ts"
import { isAnyShown } from "./live.ts"
import { answersTo } from "./proposals.ts"
import styles from "./Talk.module.css"
import { Thread } from "./Thread.tsx"
import { conversationKey, useDesk, useSession } from "./useDesk.ts"
import { analystWords } from "./words.ts"

/** The formatted price of an answer, undefined until it is known, and the hint next to the composer. */
const usePrice = (): { readonly credits: string | undefined; readonly hint: string | undefined } => {
  const says = useWords(analystWords)
  const { language } = useLanguage()
  const { day } = useNumbers()
  const price = useAsk(
    ["analyst", "price"],
    (client, options) => client.quote([{ name: "agent.answer", count: 1 }], options),
    { freshMs: 600_000 }
  )
  const isIdle = price.state !== "told" || price.data.affordable
  const usage = useAsk(usageKey, (client, options) => client.usage({}, options), { isIdle })
  if (price.state !== "told") return { credits: undefined, hint: undefined }
  const { affordable, total } = price.data
  const renewal = usage.state === "told" ? `. ${says.renew(day(usage.data.renews_at))}` : ""
  return {
    credits: creditsIn[language](total),
    hint: affordable ? says.price(total) : `${says.unaffordable}${renewal}`
  }
}

const goTo = (conversation: number) =>
  navigate(filled("/analyst/:conversation", { conversation: String(conversation) }), { replace: true })

/** Cancels the running answer of a conversation. The text so far is kept. */
const useStop = () => {
  const says = useWords(analystWords)
  const stopping = useDo((client, conversation: number) => client.agent.cancel(conversation))
  const { isRunning, run, trouble } = stopping
  useEffect(() => {
    if (trouble !== undefined) toast(says.stopFailed, "bad")
  }, [trouble, says])
  return { stop: run, isStopping: isRunning }
}

/** Opens the conversation that a question has started, also if the user left the page before and has returned. */
const useGoOn = (desk: Desk, place: Place): void => {
  const begun = useSyncExternalStore(desk.subscribe, desk.begun)
  useEffect(() => {
    desk.lookAt(place)
    if (place === "new" && begun !== undefined) goTo(begun)
  }, [begun, desk, place])
}

interface TalkProps {
  readonly place: Place
  readonly messages: ReadonlyArray<Message>
  readonly before: Parameters<typeof Thread>[0]["before"]
  readonly mode: Draft["mode"] | undefined
  readonly empty: Parameters<typeof Thread>[0]["empty"]
  /** The initial text of the composer. */
  readonly first: string
}

/** The actions of a conversation: ask, regenerate, and continue after an error. */
const useTalk = ({ first, messages, mode, place }: TalkProps, field: RefObject<HTMLTextAreaElement | null>) => {
  const { client, identity, over } = useAccess()
  const kept = useQueryClient()
  const desk = useDesk()
  const session = useSession(desk, place)
  const [draft, setDraft] = useState<Draft>(() => ({ ...noDraft, text: first, mode: mode ?? "analyst" }))
  const out = useRef(over)
  useEffect(() => {
    out.current = over
  }, [over])
  useEffect(() => void out.current(session?.error), [session?.error])
  const { isStopping, stop } = useStop()
  useGoOn(desk, place)
  const newest = messages.at(-1)?.id ?? 0
  const ask = (question: Draft) => {
    const answers = answersTo(messages.at(-1), Date.now())
    desk.ask(client, place, { ...question, answers }, newest)
  }
  const again = () => {
    if (place !== "new") desk.regenerate(client, place, newest)
  }
  const edit = () => {
    if (session?.question !== undefined) setDraft(session.question)
    desk.dismiss(place)
    field.current?.focus()
  }
  /** Puts the question back into the composer, and reads the conversation again. */
  const giveWay = () => {
    edit()
    if (place !== "new") void kept.invalidateQueries({ queryKey: [identity, ...conversationKey(place)] })
  }
  const retry = () => {
    if (session === undefined) return
    if (session.state === "ended") again()
    else if (session.isBegun && place !== "new") desk.follow(client, place, session)
    else desk.askAgain(client, place)
  }
  return {
    desk,
    session,
    draft,
    setDraft,
    again,
    askText: (text: string) => ask({ ...draft, text, images: [] }),
    send: () => {
      ask(draft)
      setDraft({ ...draft, text: "", images: [] })
    },
    stop: isStopping || session?.stop !== undefined ? undefined : () => desk.stop(place, stop),
    ways: {
      onEdit: edit,
      onRetry: retry,
      onFollow: giveWay,
      onCancelOther: () => {
        if (place !== "new") stop(place)
        giveWay()
      }
    }
  }
}

/** One conversation, or a new one: the messages and the composer. */
export const Talk = (props: TalkProps) => {
  const { before, empty, messages, place } = props
  const says = useWords(analystWords)
  const field = useRef<HTMLTextAreaElement>(null)
  const { again, askText, desk, draft, send, session, setDraft, stop, ways } = useTalk(props, field)
  const { credits, hint } = usePrice()
  const isRunning = session?.state === "running"
  // After starting a conversation, the user can type on.
  const [takesFocus] = useState(place === "new" || desk.begun() === place)
  useEffect(() => {
    if (takesFocus && matchMedia("(hover: hover)").matches) field.current?.focus()
  }, [takesFocus])
  return (
    <>
      <Thread
        desk={desk}
        messages={messages}
        before={before}
        session={session}
        note={<AnswerNote session={session} ways={ways} />}
        empty={empty}
        onAsk={askText}
        onAgain={again}
        price={credits}
      />
      <div className={styles["foot"]}>
        <Composer
          draft={draft}
          change={setDraft}
          field={field}
          hint={!isRunning ? hint : isAnyShown(session.live) ? says.stopCharged : says.stopFree}
          isNew={place === "new"}
          isRunning={isRunning}
          onSend={send}
          onStop={stop}
        />
      </div>
    </>
  )
}
