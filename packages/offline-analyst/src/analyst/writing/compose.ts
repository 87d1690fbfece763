import type { Language } from "@tapeline/core/engine"
import type { Findings } from "../Findings.ts"
import type { Desk, Section } from "../intent.ts"
import { isProposed } from "../proposing.ts"
import { nearNames } from "../reading/nearNames.ts"
import type { Reading } from "../reading/reading.ts"
import { fill, text } from "./text.ts"

const said = {
  asOf: text(
    "Data as of {time}, source: {source}.",
    "데이터 기준 {time}, 출처: {source}.",
    "Данные на {time}, источник: {source}."
  ),
  given: text(
    "Taken from the facts that you gave: {names}.",
    "제공하신 사실에서 가져옴: {names}.",
    "Взято из ваших фактов: {names}."
  ),
  images: text(
    "I cannot read images: I answer from your words alone.",
    "이미지는 읽을 수 없어 글로만 답합니다.",
    "Изображения я читать не могу: отвечаю только по тексту."
  ),
  unnamed: text(
    "Which instrument do you mean? You named none that I know. Name a coin or a share, as in “price of BTC” or “price of Apple”.",
    "어떤 종목을 말씀하시나요? 제가 아는 종목 이름이 없습니다. “BTC 시세”, “애플 주가”처럼 코인이나 주식을 알려 주세요.",
    "О каком инструменте речь? Известного мне вы не назвали. Назовите монету или акцию: например, «цена BTC» или «цена Apple»."
  ),
  unnamedRest: text(
    "I left out what needs one coin or share, since you named none.",
    "종목을 말씀하지 않아 종목이 필요한 부분은 답하지 않았습니다.",
    "То, для чего нужна монета или акция, я пропустил: вы её не назвали."
  ),
  strange: text(
    "I do not know an instrument called “{name}”, so I have no numbers for it and do not answer about another one. If it is a coin or a share, tell me its ticker.",
    "‘{name}’이라는 종목을 알지 못합니다. 수치가 없어 다른 종목으로 대신 답하지 않겠습니다. 코인이나 주식이라면 티커로 알려 주세요.",
    "Инструмент «{name}» мне неизвестен: чисел по нему нет, а отвечать о другом я не стану. Если это монета или акция, назовите тикер."
  ),
  beside: text(
    "I do not know {names}, so the answer contains no data on {names}.",
    "{names}은(는) 알지 못해 수치가 없으므로 답에서 뺐습니다.",
    "Мне неизвестно: {names}. Данных об этом в ответе нет."
  ),
  unread: text(
    "I did not read {names}; the answer does not cover it.",
    "{names}은(는) 이해하지 못해 답에서 다루지 않았습니다.",
    "Я не понял слово {names}: в ответе о нём ничего нет."
  ),
  usual: text(
    "You named no coin, so this is about {names}.",
    "코인을 말씀하지 않아 {names} 기준입니다.",
    "Монета не названа, поэтому это о {names}."
  ),
  assumed: text(
    "I read “{typed}” as {meant}.",
    "‘{typed}’을(를) {meant}(으)로 읽었습니다.",
    "«{typed}» я прочитал как {meant}."
  ),
  ignored: text(
    "Not taken into account, because I did not understand it here: {names}.",
    "이해하지 못해 답에 반영하지 않은 말: {names}.",
    "Не понял здесь и не учёл: {names}."
  ),
  guess: text(
    "I do not understand {names}, so this is no answer to it, only how things stand:",
    "{names}은(는) 이해하지 못했습니다. 그에 대한 답이 아니라 현재 상황만 알려 드립니다.",
    "Не понимаю {names}, поэтому это не ответ на вопрос, а только общая картина:"
  ),
  quoted: text("“{name}”", "‘{name}’", "«{name}»"),
  near: text("Did you mean {names}?", "혹시 {names}을(를) 말씀하시나요?", "Возможно, вы имели в виду {names}?"),
  unknown: text(
    "I do not know “{name}”: Tapeline tracks no such ticker, so I have no numbers for it and make none up. Check the spelling or name another.",
    "‘{name}’은(는) Tapeline이 다루지 않는 티커라 수치가 없고, 지어내지도 않습니다. 철자를 확인하거나 다른 종목을 알려 주세요.",
    "«{name}» мне неизвестен: такого тикера в Tapeline нет, поэтому чисел нет и выдумывать я их не стану. Проверьте написание или назовите другой."
  ),
  failed: text(
    "I have no data from `{tool}` now: {message}",
    "지금 `{tool}` 데이터를 받지 못했습니다: {message}",
    "Сейчас нет данных от `{tool}`: {message}"
  ),
  personal: text(
    "I cannot do that: I was not given {tools}. This key lacks its scope `{scope}`, or the service does not offer it.",
    "할 수 없습니다. {tools} 도구를 받지 못했습니다. 키에 `{scope}` 권한이 없거나 서비스가 제공하지 않습니다.",
    "Не могу: мне не дали {tools}. У ключа нет права `{scope}` или сервис его не предлагает."
  ),
  writes: text(
    "I was not given {tools}: it needs the scope `{scope}` and a service that offers it, and your own words must state all that is to be written.",
    "{tools} 도구를 받지 못했습니다. `{scope}` 권한과 이를 제공하는 서비스가 필요하고, 기록할 내용을 질문에 모두 직접 적어 주셔야 합니다.",
    "Мне не дали {tools}: нужно право `{scope}` и сервис, который его предлагает, и всё, что надо записать, должно быть в ваших словах."
  ),
  missing: text(
    "I was not given {tools}: this key lacks its scope `{scope}`, or the service does not offer it.",
    "{tools} 도구를 받지 못했습니다. 키에 `{scope}` 권한이 없거나 서비스가 제공하지 않습니다.",
    "Мне не дали {tools}: у ключа нет права `{scope}` или сервис его не предлагает."
  ),
  change: text(
    "**What would change this:** {change}",
    "**판단이 바뀌는 조건:** {change}",
    "**Что изменит взгляд:** {change}"
  ),
  why: text("**Why I read it so:** {why}", "**이렇게 읽는 이유:** {why}", "**Почему я так считаю:** {why}"),
  left: text(
    "I did not answer about {names}: ask of each by itself.",
    "{names}에 대해서는 답하지 않았습니다. 하나씩 따로 물어봐 주세요.",
    "Я не ответил о {names}: спросите о каждом отдельно."
  ),
  nothing: text(
    "The results do not let me conclude anything.",
    "결과만으로는 결론을 내릴 수 없습니다.",
    "По результатам вывода сделать нельзя."
  )
}

/** Returns whether an answer reports an unknown ticker. */
export const saysUnknown = (lang: Language, name: string, answer: string): boolean => {
  const line = fill(lang, said.unknown, { name })
  return line !== null && answer.includes(line)
}

const personalReads = new Set(
  ("get_positions get_risk_sizing get_risk_profile get_portfolio_risk get_trade_history get_journal_stats get_watchlist " +
    "get_tasks get_notifications").split(" ")
)
const scopeOf = (tool: string): string =>
  personalReads.has(tool)
    ? "read:personal"
    : /^(get|search|run|screen|compare|make)_/.test(tool)
    ? "read:market"
    : "write:personal"

interface Draft {
  readonly desk: Desk
  readonly reading: Reading
  readonly found: Findings
  readonly sections: ReadonlyArray<Section>
  /** The names of the tools that the answer needed but was not allowed to call. */
  readonly withheld: ReadonlyArray<string>
  readonly isUnnamed: boolean
  /** The coins that the answer is about because the question names no instrument. */
  readonly usual: ReadonlyArray<string>
  /** The content words of the question that the answer does not take into account. */
  readonly ignored: ReadonlyArray<string>
  /** Whether the answer only describes the instrument, because no intent matched the question. */
  readonly isGuess: boolean
}

const refusals = ({ desk: { format, say }, withheld }: Draft): ReadonlyArray<string> =>
  (["read:personal", "write:personal", "read:market"] as const).flatMap((scope) => {
    const tools = format.list(withheld.filter((tool) => scopeOf(tool) === scope))
    const why = { "read:personal": said.personal, "write:personal": said.writes, "read:market": said.missing }[scope]
    return say(why, { tools, scope }) ?? []
  })

const near = ({ format, say }: Desk, name: string): string | null => {
  const names = nearNames(name)
  return names.length === 0 ? null : say(said.near, { names: format.list(names) })
}

/** Returns the lines about unknown names. */
const unknownLines = ({ desk, reading: { named, strange, unread }, sections }: Draft): ReadonlyArray<string | null> => {
  const { format, say } = desk
  const quoted = (names: ReadonlyArray<string>) =>
    format.list(names.flatMap((name) => say(said.quoted, { name }) ?? []))
  if (named) return [say(said.beside, { names: quoted(strange) }), say(said.unread, { names: quoted(unread) })]
  return sections.length > 0
    ? []
    : strange.flatMap((name) => [say(said.strange, { name }), near(desk, name)])
}

const failures = ({ desk, found }: Draft): ReadonlyArray<string> => {
  const { say } = desk
  const lines = found.all.flatMap((finding) => {
    const { arguments: args, data, name, ok } = finding
    const code = data.str("code") ?? data.str("error.code")
    if (ok || isProposed(finding)) return []
    const subject = args?.["coin"] ?? args?.["symbol"]
    if (code === "unknown_symbol" && typeof subject === "string") {
      return [say(said.unknown, { name: subject }), near(desk, subject)].flatMap((line) => line ?? [])
    }
    const message = data.str("message") ?? data.str("error.message") ?? code ?? "?"
    return say(said.failed, { tool: name, message: message.slice(0, 240) }) ?? []
  })
  return [...new Set(lines)].slice(0, 4)
}

const footer = ({ desk: { format, say }, found }: Draft): string => {
  const used = found.all.filter(({ ok }) => ok)
  const newest = used.flatMap(({ data }) => data.str("as_of") ?? []).toSorted().at(-1) ?? null
  const sources = [...new Set(used.flatMap(({ data }) => data.str("source") ?? []))]
  const facts = used.flatMap(({ arguments: args, name }) => args === null ? [name] : [])
  return [
    say(said.asOf, { time: format.time(newest), source: format.list(sources) }),
    say(said.given, { names: format.list(facts) })
  ].filter((line) => line !== null).join(" ")
}

/** The maximum number of evidence lines of a section, if there are several sections. */
const linesAmong = 4
const linesAlone = 8

const sectionOf = ({ desk: { say }, reading: { mentor }, sections }: Draft, section: Section): string => {
  const lines = section.evidence.filter((line) => line !== null).slice(0, sections.length > 1 ? linesAmong : linesAlone)
  return [
    section.verdict,
    lines.length === 0 ? null : lines.map((line) => `- ${line}`).join("\n"),
    mentor ? say(said.why, { why: section.why ?? null }) : null
  ].filter((part) => part !== null).join("\n\n")
}

/** Stablecoins that only quote another coin's price, and need no answer. */
const quotes = new Set(["USDT", "USDC"])

/** Returns the line that lists the named instruments that the answer does not mention. */
const leftOut = ({ desk: { format, say }, found, reading }: Draft, text: string): string | null => {
  if (!reading.named || !found.all.some(({ ok }) => ok)) return null
  const told = new Set(text.match(/[A-Za-z0-9]+/g))
  const left = [
    ...reading.coins.slice(1).filter((coin) => !quotes.has(coin) && !told.has(coin)),
    ...reading.stocks.slice(1).filter(({ name, symbol }) => !told.has(symbol) && !text.includes(name))
      .map(({ name }) => name)
  ]
  return left.length === 0 ? null : say(said.left, { names: format.list(left) })
}

const changesOf = (sections: ReadonlyArray<Section>): string | null => {
  const changes = [...new Set(sections.flatMap(({ change }) => change ?? []))].slice(0, 2)
  return changes.length === 0 ? null : changes.join(" ")
}

/** Returns the line about the words that the answer does not take into account. */
const ignoredLine = ({ desk: { format, say }, ignored, isGuess }: Draft): string | null => {
  const names = format.list(ignored.slice(0, 6).flatMap((name) => say(said.quoted, { name }) ?? []))
  return say(isGuess ? said.guess : said.ignored, { names })
}

/** Composes an answer: the conclusion first, then the evidence, then what would change the conclusion. */
export const compose = (draft: Draft): string => {
  const { desk, isUnnamed, reading, sections } = draft
  const { say } = desk
  const failed = failures(draft)
  const refused = refusals(draft)
  const spoken = sections.filter(({ evidence, verdict }) => verdict !== null || evidence.some((line) => line !== null))
  const { strange } = reading
  const told = spoken.map((section) => sectionOf(draft, section))
  const parts = [
    reading.images > 0 ? say(said.images, {}) : null,
    reading.assumed.flatMap(({ meant, typed }) => say(said.assumed, { typed, meant }) ?? []).join(" "),
    say(said.usual, { names: desk.format.list(draft.usual) }),
    ...refused,
    ...failed,
    ...unknownLines(draft),
    isUnnamed && told.length === 0 ? say(said.unnamed, {}) : null,
    draft.isGuess && told.length > 0 ? ignoredLine(draft) : null,
    ...told,
    draft.isGuess || told.length === 0 ? null : ignoredLine(draft),
    isUnnamed && told.length > 0 ? say(said.unnamedRest, {}) : null,
    told.length === 0 ? null : leftOut(draft, [...refused, ...failed, ...told].join(" ")),
    spoken.length === 0 && refused.length === 0 && failed.length === 0 && strange.length === 0 && !isUnnamed
      ? say(said.nothing, {})
      : null,
    say(said.change, { change: changesOf(spoken) }),
    footer(draft)
  ]
  return parts.filter((part) => part !== null && part !== "").join("\n\n")
}
