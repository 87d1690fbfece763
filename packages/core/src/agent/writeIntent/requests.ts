import { tickersIn } from "./instruments.ts"
import { type Labelled, labelledIn } from "./labels.ts"
import { type AskedNote, noteIn } from "./notes.ts"
import { hasSign, masked, typed, unquoted } from "./readable.ts"
import { hasStray } from "./strays.ts"
import { toolOf, type WriteTool } from "./tools.ts"
import { type Act, actOf, politeQuestion } from "./verbs.ts"
import * as say from "./vocabulary.ts"

/** What the user's own message asks to have written, by one tool: data, and all that its arguments may hold. */
export interface WriteRequest {
  readonly tool: WriteTool
  readonly act: Act
  /** The user's words that ask for it. */
  readonly text: string
  readonly tickers: ReadonlyArray<string>
  readonly numbers: ReadonlyArray<Labelled>
  /** What a note is to say, or a title, or a prompt. */
  readonly content: string
  /** How many calls it is worth. */
  readonly times: number
  /** Whether it is one of several conditions that one sentence waits for. */
  readonly isPart: boolean
}

interface Group {
  readonly act: Act
  text: string
  readonly conditional: boolean
  /** Whether it goes on from another, or another from it, without a verb of its own. */
  isPart: boolean
}

const clauseEnd =
  /,(?!\d)|;|(?<![a-z])(?:and|then|plus)(?![a-z])|그리고|(?<![а-я])(?:и|а также|затем|потом)(?![а-я])|&|(?<=[가-힣]고)(?= )|(?<=[가-힣])(?= -)/giu

const sentences = (text: string): ReadonlyArray<string> =>
  text.split(/\n+|(?<=[!?;。！？])|(?<=[^\d.]\.)(?=\s|$)|(?<=\d\.)(?=\s+\p{L}|\s*$)/u).map((one) => one.trim())
    .filter((one) => one !== "")

const clausesOf = (sentence: string): ReadonlyArray<string> => {
  const clauses: Array<string> = []
  let from = 0
  for (const { 0: { length }, index } of sentence.matchAll(clauseEnd)) {
    clauses.push(sentence.slice(from, index + length))
    from = index + length
  }
  return [...clauses, sentence.slice(from)]
}

/** Where something is, or when: it belongs to what follows it. */
const beginning = /^\s*(?:for|on|in|at|when|once|if|as soon as|every|each|по|на|для|когда|как только|если|кажд)/iu

/** A clause without a verb that names another instrument with a number of its own: the same once more. */
const isAgain = (group: Group, clause: string): boolean => {
  const named = tickersIn(group.text)
  const also = tickersIn(clause)
  return named.length > 0 && also.length > 0 && also.every((ticker) => !named.includes(ticker)) &&
    labelledIn(group.text).length > 0 && labelledIn(clause).length > 0
}

/**
 * A condition makes all of a sentence wait, except that the last of its requests may be to tell when it has come:
 * "close SOL at 210, and alert me when BTC hits 70,000".
 */
const withConditions = (groups: ReadonlyArray<Group>, rest: string): ReadonlyArray<Group> => {
  const last = groups.at(-1)
  if (!say.condition.test(groups.map(({ text }) => text).join(" ") + rest)) return groups
  const others = groups.slice(0, -1)
  const isApart = last?.act === "Notify" && !say.condition.test(others.map(({ text }) => text).join(" ") + rest)
  return groups.map((group) => ({ ...group, conditional: group === last || !isApart }))
}

/** What is to be told of, and what one is to be reminded to do, goes on after "and". */
const toldToMe = /(?<![a-z])me (?:to|that|whether|if)(?![a-z])/iu

/** What a sentence asks for, act by act: verbs begin a request in English and Russian, and end one in Korean. */
const groupsOf = (sentence: string): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  let pending = ""
  let linked: Array<Group> = []
  let open: Group | null = null
  for (const clause of clausesOf(sentence)) {
    const asked = actOf(clause.replace(/(?:,|;|&|(?<![a-zа-я])(?:and|then|plus|и|а также|затем|потом))\s*$/iu, ""))
    if (asked === null) {
      if (open === null) pending += clause
      else if (isAgain(open, clause)) {
        open.isPart = true
        open = { act: open.act, text: clause, conditional: false, isPart: true }
        groups.push(open)
      } else open.text += clause
      continue
    }
    const ends = asked.language === "ko"
    const belongs = ends || beginning.test(pending)
    const group: Group = {
      act: asked.act,
      text: belongs ? pending + clause : clause,
      conditional: false,
      isPart: false
    }
    if (asked.link) linked.push(group)
    else {
      // What goes on with "하고" is asked for once the sentence ends in a request.
      if (ends) groups.push(...linked)
      linked = []
      groups.push(group)
    }
    pending = belongs ? "" : pending
    open = ends ? null : group
  }
  const last = groups.at(-1)
  if (last !== undefined && open === null) last.text += `, ${pending}`
  const told = groups.findIndex(({ act, text }) => (act === "Notify" || act === "Report") && toldToMe.test(text))
  return withConditions(told === -1 ? groups : groups.slice(0, told + 1), pending)
}

const isQuestion = (sentence: string): boolean => sentence.endsWith("?") && !politeQuestion.test(sentence)

/** A colon that is no time of day: what follows it only tells more. */
const colon = /:(?!\d)|(?<!\d):/u

interface Told {
  readonly groups: ReadonlyArray<Group>
  /** What the user tells beside, which is no question. */
  readonly aside: string
  /** Whether a sentence of its own says when something is to be done, or whether: "Close it. If she agrees." */
  readonly waits: boolean
}

const toldIn = (own: string): Told => {
  const at = own.search(colon)
  const [head, tail] = at === -1 ? [own, ""] : [own.slice(0, at), own.slice(at + 1)]
  const groups: Array<Group> = []
  let aside = ""
  let waits = false
  for (const sentence of sentences(head)) {
    if (isQuestion(sentence)) continue
    const told = groupsOf(sentence)
    groups.push(...told)
    if (told.length > 0) continue
    if (say.condition.test(sentence)) waits = true
    else aside += `${sentence}\n`
  }
  const last = groups.at(-1)
  if (last !== undefined && tail !== "" && !isQuestion(tail.trim())) last.text += ` ,${tail}`
  return { groups, aside, waits }
}

/** What is told beside a request to record a position tells of it, unless it names something else. */
const withAside = ({ act, text }: Group, aside: string): string => {
  const named = tickersIn(text)
  const others = tickersIn(aside).filter((ticker) => !named.includes(ticker))
  const isRecord = act === "Record" || act === "Add"
  return isRecord && aside !== "" && (named.length === 0 || others.length === 0) ? `${text} ,${aside}` : text
}

/** Politeness in which the analyst is spoken to. */
const politeStart = /(?:can|could|will) you|(?:need|want|like) you to/giu

const requestOf = (group: Group, aside: string): WriteRequest | null => {
  const { act, conditional, text } = group
  const wide = withAside(group, aside)
  const isPosition = wide !== text && toolOf(act, wide, conditional) === "set_position"
  const told = isPosition ? wide : text
  const tool = toolOf(act, told, conditional)
  const isStated = say.stated.test(text.replace(politeStart, ""))
  if (tool === null || (isStated && tool !== "create_task")) return null
  const named = tickersIn(told)
  const tickers = named.length === 0 ? tickersIn(aside) : named
  const times = tool === "update_watchlist" ? Math.max(1, tickers.length) : 1
  return { tool, act, text: told, tickers, numbers: labelledIn(told), content: told, times, isPart: group.isPart }
}

/** Whether anything leaves in doubt that the message asks for something to be done. */
const isDoubtful = (own: string): boolean => hasSign(own) || say.doubts.some((doubt) => doubt.test(own))

/** More than an answer may call: whoever asks for so much has pasted it, and each is read beside all of the rest. */
const mostRequests = 24

const requestsOf = (own: string, note: AskedNote | null): ReadonlyArray<WriteRequest> => {
  if (isDoubtful(own)) return []
  const { aside, groups, waits } = toldIn(own)
  if (groups.length > mostRequests) return []
  const requests = groups.flatMap((group) => {
    const request = requestOf(group, aside)
    return request === null || request.tool === "add_journal_note" ? [] : [request]
  })
  if (waits) return requests.filter(({ tool }) => tool === "create_task")
  if (note === null || !groups.some(({ act, text }) => toolOf(act, text, false) === "add_journal_note")) return requests
  const { content, lead } = note
  return [...requests, {
    tool: "add_journal_note",
    act: "Note",
    text: lead,
    tickers: tickersIn(`${lead} ${content}`),
    numbers: labelledIn(`${lead.replaceAll(masked, "")} , ${content}`),
    content,
    times: 1,
    isPart: false
  }]
}

/** What a readable message asks to have written, in its own words; nothing when that is in doubt. */
export const requestsIn = (text: string): ReadonlyArray<WriteRequest> => {
  const lines = typed(text)
  const note = noteIn(lines)
  const own = unquoted(note === null ? lines : note.around)
  const requests = requestsOf(own, note)
  const watches = requests.every(({ tool }) => tool === "create_task")
  return requests.length > 0 && hasStray(sentences(own), watches) ? [] : requests
}
