/** What a request wants done. `Other` asks for something that is no write. */
export type Act =
  | "Set"
  | "Record"
  | "Add"
  | "Note"
  | "Close"
  | "Delete"
  | "Pause"
  | "Resume"
  | "Notify"
  | "Mark"
  | "Report"
  | "Other"

type Row = readonly [act: Act, pattern: string]

const polite =
  "please|pls|plz|kindly|now|then|also|and|ok|okay|alright|so|just|hey|hi|hello|thanks|yes|yep|yeah|sure|next|finally|first|second|" +
  "second(?:ly)?|go ahead and|(?:can|could|will) you(?: please| kindly| also| just)?|i(?:'d| would) like you to|i(?: need| want) you to|do|tapeline|analyst"
const prefix = new RegExp(
  `^(?:[\\s,.!*•-]|\\d{1,2}[.)] |(?:${polite})(?![a-z'])|(?:for|on|in) (?:my |the |our )?[\\w /-]{2,24}(?:,|$)|` +
    "(?:every|each|daily|hourly)(?![a-z])[\\w: +-]{0,40}?,? (?=(?:please )?(?:send|give|analy|check|summar|report|brief|run|show|review|alert|tell|remind)))*",
  "iu"
)

const english: ReadonlyArray<readonly [Act, RegExp]> = ([
  [
    "Notify",
    "(?:alert|notify|ping|warn|remind|message|text|tell) me|let me know|send me an? (?:alert|notification|reminder)|give me an alert|watch(?! ?-?list)|monitor"
  ],
  ["Pause", "pause|suspend|disable|mute|turn off|switch off|deactivate"],
  ["Resume", "resume|unpause|enable|reactivate|restart|turn on|switch on|activate"],
  ["Note", "note|jot|write"],
  ["Mark", "mark"],
  ["Close", "close|exit"],
  ["Delete", "delete|remove|erase|drop|cancel|clear|unwatch|take(?= .*\\b(?:off|out)\\b)"],
  [
    "Record",
    "record(?! (?:highs?|lows?|volumes?|inflows?|outflows?|profits?))|log|save|enter|open(?! interest)|register|book|journal|track"
  ],
  [
    "Add",
    "add|create|append|include|put (?=.*watch ?-?list)|make (?=an? (?:alert|task|note))|schedule|set up|set (?=an? (?:price )?(?:alert|alarm|reminder|task))"
  ],
  [
    "Set",
    "set|put|place|move|change|adjust|update|raise|lower|tighten|shift|bump|edit|modify|make|bring|increase|decrease|reduce|trail|correct|fix"
  ],
  ["Report", "send|give|analy[sz]e|check|summari[sz]e|report|brief|run|show|review|post|email|prepare"],
  ["Other", "tell|what|which|who|how|is|are|compare|draw|plot|find|look|get|list|explain|chart|calculate"]
] satisfies ReadonlyArray<Row>).map(([act, pattern]) => [act, new RegExp(`^(?:${pattern})(?![a-z'])`, "iu")])

const russian: ReadonlyArray<readonly [Act, RegExp]> = ([
  [
    "Pause",
    "приостанови|останови|выключи|отключи|(?:поставь|поставить|приостановить|отключить)(?:те)? .{0,40}на паузу|поставь(?:те)? на паузу"
  ],
  ["Resume", "возобнови|включи(?:ть)?|запусти|сними(?:те)? .{0,40}с паузы"],
  [
    "Notify",
    "разбуди|уведоми|уведомляй|сообщи|предупреди|напомни|оповести|дай(?:те)? знать|пингани|скажи|маякни|напиши(?= мне)|следи"
  ],
  ["Mark", "отмет(?:ь|ить)|помет(?:ь|ить)"],
  ["Close", "закро(?:й|ем)|закрыть"],
  ["Delete", "удали(?:ть)?|убери|убрать|сотри|отмени(?:ть)?|исключи|выкинь"],
  ["Record", "запиши|записать|внеси|внести|зафиксируй|сохрани(?:ть)?|открой|заведи|занеси|зарегистрируй|оформи"],
  ["Add", "добавь|добавьте|добавить|создай|создать|сделай(?=(?:те)? .{0,20}(?:заметк|пометк|запис))"],
  [
    "Set",
    "поставь|поставьте|поставить|установи(?:ть)?|измени(?:ть)?|поменяй|поменять|обнови(?:ть)?|перенеси|перенести|подвинь|передвинь|передвинуть|сдвинь|подними|поднять|" +
    "подтяни|опусти|снизь|увеличь|уменьши|задай|выстави|исправь|смени"
  ],
  [
    "Report",
    "присылай|пришли|отправляй|анализируй|проанализируй|проверяй|делай|показывай|сделай|давай(?= (?:мне|обзор|сводк))|рассказывай"
  ],
  ["Other", "покажи|посмотри|расскажи|сравни|нарисуй|найди|дай(?! знать)|какой|какая|какие|сколько|что|как(?![а-я])"]
] satisfies ReadonlyArray<Row>).map((
  [act, pattern]
) => [act, new RegExp(`(?<![а-яa-z])(?:${pattern})(?:те)?(?![а-я])`, "iu")])

/** An infinitive asks only after one of these. */
const infinitive = /(?:ить|ать|ыть|уть|ять|ести)(?:те)?$/iu
const askingInfinitive = /(?<![а-я])(?:можешь|можете|сможешь|сможете|прошу)(?![а-я])/iu

const koreanStems: ReadonlyArray<readonly [Act, RegExp]> = ([
  ["Mark", "읽음 ?(?:으로 |으로)?(?:처리|표시)(?: ?(?:해|하))?"],
  ["Resume", "재개(?: ?(?:해|하))?|다시 ?(?:켜|시작)(?: ?(?:해|하))?|활성화(?: ?(?:해|하))?|켜"],
  [
    "Pause",
    "멈춰|멈추|일시 ?(?:정지|중지)(?: ?(?:해|하))?|중지(?: ?(?:해|하))?|꺼|끄|정지(?: ?(?:해|하))?|비활성화(?: ?(?:해|하))?"
  ],
  ["Close", "(?:close|exit) ?해?|청산(?: ?(?:해|하))?|닫아?|종료(?: ?(?:해|하))?|정리(?: ?(?:해|하))?"],
  ["Delete", "(?:delete|remove) ?해?|삭제(?: ?(?:해|하))?|지워|지우|빼|제거(?: ?(?:해|하))?|취소(?: ?(?:해|하))?|없애"],
  ["Note", "메모(?: ?(?:해|하))?|적어|적|남겨|남기|써|쓰"],
  [
    "Record",
    "(?:record|log) ?해?|기록(?: ?(?:해|하))?|등록(?: ?(?:해|하))?|저장(?: ?(?:해|하))?|입력(?: ?(?:해|하))?|열어|열"
  ],
  ["Add", "add ?해?|추가(?: ?(?:해|하))?|넣어?|담아?|만들어?|생성(?: ?(?:해|하))?|예약(?: ?(?:해|하))?"],
  ["Notify", "알려|알림 ?(?:을 ?)?(?:보내|울려|줘)?|통지(?: ?(?:해|하))?|깨워|경고(?: ?(?:해|하))?"],
  [
    "Set",
    "(?:set|update|move|change) ?해?|바꿔|바꾸|변경(?: ?(?:해|하))?|수정(?: ?(?:해|하))?|설정(?: ?(?:해|하))?|조정(?: ?(?:해|하))?|옮겨|옮기|올려|올리|내려|내리|높여|높이|낮춰|낮추|맞춰|맞추|걸어|걸|잡아|잡|업데이트(?: ?(?:해|하))?|세팅(?: ?(?:해|하))?|갱신(?: ?(?:해|하))?"
  ],
  [
    "Report",
    "보내|분석(?: ?(?:해|하))?|요약(?: ?(?:해|하))?|브리핑(?: ?(?:해|하))?|확인(?: ?(?:해|하))?|보고(?: ?(?:해|하))?|점검(?: ?(?:해|하))?|정리해서 ?보내"
  ],
  ["Other", "보여|비교(?: ?(?:해|하))?|그려|찾아|계산(?: ?(?:해|하))?|말해"]
] satisfies ReadonlyArray<Row>).map(([act, pattern]) => [act, new RegExp(`(?:${pattern})$`, "iu")])

/** The verbs of Korean requests, wherever they stand. */
export const koreanVerbs = new RegExp(koreanStems.map(([, { source }]) => source.slice(0, -1)).join("|"), "giu")

/** How a Korean request ends, politely or not, and how one goes on with another. */
const koreanEnd =
  / ?(?:좀 ?)?(?:줘요?|주세요|주십시오|주시겠(?:어요|습니까)|줄래요?|주실래요|줄 ?수 ?있(?:어|나|니|을까)요?|주실 ?수 ?있(?:나|어|을까)요?|부탁해요?|부탁드려요|부탁드립니다|부탁합니다|부탁)[\s.!?~^ㅎㅋ]*$/u
const koreanLink = /(?:해? ?주)?고(?:요|서)?$/u

/** An act that a clause asks for, and where its word begins. `link`: the request goes on to another. */
export interface AskedAct {
  readonly act: Act
  readonly at: number
  readonly end: number
  readonly language: "en" | "ko" | "ru"
  readonly link: boolean
}

const koreanAct = (clause: string): AskedAct | null => {
  const trimmed = clause.trimEnd()
  const ending = koreanEnd.exec(trimmed) ?? koreanLink.exec(trimmed)
  if (ending === null) return null
  const before = trimmed.slice(0, ending.index).trimEnd()
  for (const [act, stem] of koreanStems) {
    const found = stem.exec(before)
    if (found === null) continue
    return { act, at: found.index, end: trimmed.length, language: "ko", link: !koreanEnd.test(trimmed) }
  }
  return koreanEnd.test(trimmed)
    ? { act: "Other", at: ending.index, end: trimmed.length, language: "ko", link: false }
    : null
}

const englishAct = (clause: string): AskedAct | null => {
  const start = prefix.exec(clause)?.[0].length ?? 0
  const rest = clause.slice(start)
  for (const [act, pattern] of english) {
    const found = pattern.exec(rest)
    if (found !== null) return { act, at: start, end: start + found[0].length, language: "en", link: false }
  }
  return null
}

const russianAct = (clause: string): AskedAct | null => {
  let first: AskedAct | null = null
  for (const [act, pattern] of russian) {
    const found = pattern.exec(clause)
    if (found === null || (first !== null && first.at <= found.index)) continue
    if (!found[0].includes(" ") && infinitive.test(found[0]) && !askingInfinitive.test(clause)) continue
    first = { act, at: found.index, end: found.index + found[0].length, language: "ru", link: false }
  }
  return first
}

/** What a clause asks for by an imperative of its own; null when it asks for nothing. */
export const actOf = (clause: string): AskedAct | null => koreanAct(clause) ?? russianAct(clause) ?? englishAct(clause)

/** A question mark that ends a polite request all the same. */
export const politeQuestion =
  /(?:^|[,.!;] ?|\n)(?:hey,? |hi,? |ok,? |please,? |and |also )*(?:can|could|will) you |줄래|주실래|줄 ?수 ?있|주실 ?수 ?있|주시겠|(?<![а-я])(?:можешь|можете|сможешь|сможете)(?![а-я])/iu
