import { findTickers } from "../../market/instrumentMentions.ts"
import { hasChange, type Labelled, labelledIn } from "./labels.ts"
import { type AskedNote, noteIn } from "./notes.ts"
import { folded, hasSign, masked, typed, unquoted } from "./readable.ts"
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
  /** What the message states in addition to its requests. */
  readonly beside: string
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
  /** Whether its list is the one that another request of the sentence names: "remove DOGE and add PEPE to my list". */
  isListed: boolean
}

const clauseEnd =
  /,(?!\d)|;|(?<![a-z])(?:and|then|plus)(?![a-z])|그리고|(?<![а-я])(?:и|а также|затем|потом)(?![а-я])|&|(?<=[가-힣]고)(?= )|(?<=[가-힣])(?= -)/giu

/** The sentences of a text. A point within a number ends none. */
export const sentences = (text: string): ReadonlyArray<string> =>
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
  const named = findTickers(group.text)
  const also = findTickers(clause)
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

const isOfList = ({ act, text }: Group): boolean =>
  (act === "Add" || act === "Delete") && say.nouns.watchlist.test(text)

/** Whether nothing is named but instruments. */
const namesOnlyInstruments = ({ text }: Group): boolean =>
  findTickers(text).length > 0 && labelledIn(text).length === 0 &&
  !Object.values(say.nouns).some((noun) => noun.test(text))

/** In one sentence the watch list is named once, and what is put there and taken from it more often. */
const withList = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> =>
  groups.some(isOfList)
    ? groups.map((group) => ({
      ...group,
      isListed: (group.act === "Add" || group.act === "Delete") && namesOnlyInstruments(group)
    }))
    : groups

/** What is to be told of, and what one is to be reminded to do, goes on after "and". */
const toldToMe = /(?<![a-z])me (?:to|that|whether|if)(?![a-z])/iu

/** What a sentence asks for, act by act: verbs begin a request in English and Russian, and end one in Korean. */
const groupsOf = (sentence: string): { readonly groups: ReadonlyArray<Group>; readonly rest: string } => {
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
        open = { act: open.act, text: clause, conditional: false, isPart: true, isListed: false }
        groups.push(open)
      } else open.text += clause
      continue
    }
    const ends = asked.language === "ko"
    const belongs = ends || beginning.test(pending) || findTickers(pending).length > 0
    const group: Group = {
      act: asked.act,
      text: belongs ? pending + clause : clause,
      conditional: false,
      isPart: false,
      isListed: false
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
  const rest = last === undefined || open !== null ? pending : ""
  if (last !== undefined && open === null) last.text += `, ${pending}`
  const told = groups.findIndex(({ act, text }) => (act === "Notify" || act === "Report") && toldToMe.test(text))
  return { groups: withConditions(withList(told === -1 ? groups : groups.slice(0, told + 1)), pending), rest }
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
    groups.push(...told.groups)
    if (told.groups.length > 0) {
      // "5x, record a BTC long at 60000": what begins the sentence tells more of the request.
      if (told.rest.trim() !== "") aside += `${told.rest}\n`
    } else if (say.condition.test(sentence)) waits = true
    else aside += `${sentence}\n`
  }
  const last = groups.at(-1)
  if (last !== undefined && tail !== "" && !isQuestion(tail.trim())) last.text += ` ,${tail}`
  return { groups, aside, waits }
}

/** What is told beside a request to record a position tells of it, unless it names something else. */
const withAside = ({ act, text }: Group, aside: string): string => {
  const named = findTickers(text)
  const others = findTickers(aside).filter((ticker) => !named.includes(ticker))
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
  const tool = toolOf(act, told, conditional) ?? (group.isListed && !conditional ? "update_watchlist" : null)
  const isStated = say.stated.test(text.replace(politeStart, ""))
  if (tool === null || (isStated && tool !== "create_task")) return null
  // Of a new position nothing changes: it was opened and closed, or in several parts.
  if (tool === "set_position" && hasChange(told)) return null
  const named = findTickers(told)
  const tickers = named.length === 0 ? findTickers(aside) : named
  const times = tool === "update_watchlist" ? Math.max(1, tickers.length) : 1
  const numbers = labelledIn(told, tool === "set_position")
  return { tool, act, text: told, tickers, numbers, content: told, beside: "", times, isPart: group.isPart }
}

/** Whether anything leaves in doubt that the message asks for something to be done. */
const isDoubtful = (own: string): boolean => hasSign(own) || say.doubts.some((doubt) => doubt.test(own))

/** More than an answer may call: whoever asks for so much has pasted it, and each is read beside all of the rest. */
const mostRequests = 24

/** What a message asks to have written in words that do not say enough of it, and the tool that would do it, if any. */
export interface UnreadWrite {
  readonly text: string
  readonly tool: WriteTool | null
}

/** What a message asks to have written. */
export interface ReadRequests {
  readonly requests: ReadonlyArray<WriteRequest>
  readonly unread: ReadonlyArray<UnreadWrite>
  /** Requests that other words of the message leave in doubt, so that none is made. */
  readonly doubtful: ReadonlyArray<UnreadWrite>
}

const nothingAsked: ReadRequests = { requests: [], unread: [], doubtful: [] }

const writing: ReadonlySet<Act> = new Set([
  "Set",
  "Record",
  "Add",
  "Note",
  "Close",
  "Delete",
  "Pause",
  "Resume",
  "Mark"
])

/** What asks for it, without what joins it to others. */
const bareText = (text: string): string =>
  text.replaceAll(masked, "").replace(
    /^[\s,;&]+|(?:[\s,;.&]|(?<![a-zа-я])(?:and|then|plus|и|а также|затем|потом))+$/giu,
    ""
  )

/** The tool that would do it if it said enough. Who is to write something else than a note is asked for no write. */
const nearestTool = ({ act, conditional, text }: Group): WriteTool | null =>
  act === "Note" && !say.nouns.note.test(text) ? null : toolOf(act, text, conditional, true)

const noteOf = ({ content, lead }: AskedNote): WriteRequest => {
  const subjects = findTickers(lead)
  return {
    tool: "add_journal_note",
    act: "Note",
    text: lead,
    tickers: subjects.length === 1 ? subjects : findTickers(`${lead} ${content}`),
    numbers: labelledIn(`${lead.replaceAll(masked, "")} , ${content}`),
    content,
    beside: "",
    times: 1,
    isPart: false
  }
}

const requestsOf = (own: string, note: AskedNote | null): ReadRequests => {
  if (isDoubtful(own)) return nothingAsked
  const { aside, groups, waits } = toldIn(own)
  if (groups.length > mostRequests) return nothingAsked
  const isNote = (group: Group): boolean => toolOf(group.act, group.text, false) === "add_journal_note"
  const read = groups.map((group) => ({ group, request: requestOf(group, aside) }))
  const requests = read.flatMap(({ request }) =>
    request === null || request.tool === "add_journal_note" ? [] : [request]
  )
  // What is told of a position is part of its request.
  const beside = requests.some(({ text }) => aside !== "" && text.endsWith(aside)) ? "" : aside
  const placed = (request: WriteRequest): WriteRequest => ({ ...request, beside })
  const unread = read.flatMap(({ group, request }) =>
    (request === null && writing.has(group.act) && !isNote(group)) || (isNote(group) && note === null)
      ? [{ text: bareText(group.text), tool: nearestTool(group) }]
      : []
  )
  if (waits) {
    return { requests: requests.filter(({ tool }) => tool === "create_task").map(placed), unread, doubtful: [] }
  }
  const notes = note !== null && groups.some(isNote) ? [noteOf(note)] : []
  return { requests: [...requests, ...notes].map(placed), unread, doubtful: [] }
}

/** What a readable message asks to have written, in its own words; nothing when that is in doubt. */
export const requestsIn = (text: string): ReadRequests => {
  const written = typed(text)
  const lines = folded(written)
  const found = noteIn(lines)
  // What is to be noted is noted as it was spelled.
  const at = found === null ? -1 : lines.lastIndexOf(found.content)
  const note = found === null || at === -1
    ? found
    : { ...found, content: written.slice(at, at + found.content.length) }
  const own = unquoted(note === null ? lines : note.around)
  const read = requestsOf(own, note)
  const watches = read.requests.every(({ tool }) => tool === "create_task")
  if (read.requests.length === 0 || !hasStray(sentences(own), watches)) return read
  // "Is BTC above its 200 EMA": a question with a number asks for no alert.
  const asked = read.requests.filter(({ act, tool }) => writing.has(act) && tool !== "create_task")
  return { ...nothingAsked, doubtful: asked.map(({ text, tool }) => ({ text: bareText(text), tool })) }
}
