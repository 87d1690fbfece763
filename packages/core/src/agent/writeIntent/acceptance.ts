import type { WriteProposal } from "../writeProposal.ts"
import { hasSign, typed, unquoted, withoutSmiles } from "./readable.ts"
import { isQuestionApart } from "./strays.ts"
import * as say from "./vocabulary.ts"

/** Words that accept, each by itself. */
const accepts = new Set(
  ("yes yep yeah yup yess yea confirm confirmed approve approved proceed sure absolutely definitely affirmative " +
    "네 넵 넹 예 응 어 ㅇㅇ ㅇㅋ 그래 그래요 승인 승인합니다 승인할게 확정 동의 동의해 동의합니다 진행 물론 물론이죠 " +
    "да ага угу конечно подтверждаю согласен согласна одобряю давай давайте поехали").split(" ")
)
/** Words that stand beside those, and alone accept nothing. */
const fillers = new Set(
  ("please pls thanks thank you ok okay great perfect good right correct that it this so as proposed just go ahead i of course the exactly " +
    "좋아 좋아요 맞아 맞아요 고마워 고마워요 감사합니다 감사해요 그대로 그렇게 이대로 좀 부탁 부탁해 부탁해요 부탁드려요 부탁드립니다 바로 그거 그걸로 " +
    "пожалуйста спасибо хорошо ок окей так это верно именно правильно точно я").split(" ")
)
/** Words that tell to do it; some only for a proposal of their kind. */
const doing: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [
    /^(?:do|proceed|execute|apply|go)$|^(?:하세요|해|해요|해줘|해줘요|해주세요|해주십시오|주세요|줘|진행해|진행해줘|진행해주세요|실행해줘|실행해주세요|진행하세요|적용해줘)$|^(?:делай|делайте|сделай|сделайте|выполняй|выполни|применяй|вперед|действуй)$/u,
    /./
  ],
  [
    /^(?:set|place|put|make|update|change|move)$|^(?:설정해줘|설정해주세요|걸어줘|걸어주세요|바꿔줘|바꿔주세요|변경해줘|변경해주세요)$|^(?:ставь|ставьте|поставь|поставьте|меняй|измени|двигай|обнови|обновляй)$/u,
    /^(?:set|update|create)_/
  ],
  [
    /^(?:record|save|log|add|create|book)$|^(?:기록해줘|기록해주세요|저장해줘|저장해주세요|등록해줘|등록해주세요|추가해줘|추가해주세요|만들어줘|만들어주세요)$|^(?:записывай|запиши|запишите|сохрани|сохраняй|добавь|добавляй|создай|создавай)$/u,
    /^(?:set|add|create|update)_/
  ],
  [/^close$|^(?:청산해줘|청산해주세요|닫아줘|닫아주세요)$|^(?:закрой|закрывай|закройте)$/u, /^close_/],
  [
    /^(?:delete|remove)$|^(?:삭제해줘|삭제해주세요|지워줘|지워주세요)$|^(?:удали|удаляй|удалите|убери)$/u,
    /^(?:delete_|update_watchlist)/
  ]
]
const ordinals: ReadonlyArray<RegExp> = [
  /^(?:(?:the )?first(?: one)?|1|1번|첫 ?번째|перв[а-я]+)$/u,
  /^(?:(?:the )?second(?: one)?|2|2번|두 ?번째|втор[а-я]+)$/u,
  /^(?:(?:the )?third(?: one)?|3|3번|세 ?번째|треть[а-я]+)$/u
]
const pair = /(?<![a-z])both(?![a-z])|둘 ?다|(?<![а-я])об[ае](?![а-я])/iu
const everyOne = new Set("all both everything 전부 모두 둘 다 둘다 все оба обе".split(" "))
const only = new Set("only just one 만 것만 거만 만요 것 거 только лишь".split(" "))

interface Reading {
  readonly accepts: boolean
  readonly all: boolean
  readonly picked: ReadonlyArray<number>
}

/** "1.5", "1/2" and "1 of 3" pick nothing. */
const unclear = /\d ?[./:] ?\d|\d of \d|(?<![a-z])all right(?![a-z])/iu

/** What a sentence of nothing but assent comes to; null when it says anything else. */
const readAssent = (sentence: string, tools: ReadonlyArray<string>): Reading | null => {
  if (unclear.test(sentence)) return null
  const tokens = sentence.toLowerCase().replace(/([네넵예응])\1+/gu, "$1").replace(/해 (?=줘|주)/g, "해").replace(
    /(\d번|번째)만/g,
    "$1 만"
  ).match(
    /[\p{L}\p{N}]+/gu
  ) ?? []
  let yes = false
  let all = false
  const picked: Array<number> = []
  for (const token of tokens) {
    const ordinal = ordinals.findIndex((pattern) => pattern.test(token))
    const act = doing.find(([pattern]) => pattern.test(token))
    if (ordinal !== -1) picked.push(ordinal)
    else if (accepts.has(token)) yes = true
    else if (act !== undefined) {
      if (!tools.every((tool) => act[1].test(tool))) return null
      yes = true
    } else if (!fillers.has(token) && !only.has(token) && !everyOne.has(token)) return null
    all ||= everyOne.has(token)
  }
  const ahead = /(?:^|\s)go ahead(?:$|[\s,.!])/iu.test(sentence)
  const isAll = tokens.length > 0 && (yes || ahead)
  return { accepts: isAll, all, picked }
}

/** "yes 👍", "네~": what decorates an answer. */
const plain = (own: string): string => withoutSmiles(own).replace(/[~^*_)(]+/gu, " ")

/**
 * Which of the shown proposals a message accepts. A plain yes accepts the one that was shown; of several it takes a
 * word that says which, or that all are meant. Assent must open the message; whatever else the message says may only
 * be a question about the market, without a number.
 */
export const acceptedIn = (text: string, proposals: ReadonlyArray<WriteProposal>): ReadonlyArray<WriteProposal> => {
  const own = plain(text)
  // Whatever is pasted or quoted beside a yes is more than a yes.
  if (unquoted(typed(text)) !== text || hasSign(text)) return []
  const [first, ...rest] = own.split(/(?<=[.!?\n。！？])\s*/u).filter((one) => one.trim() !== "")
  // "Yes..." hesitates.
  const isFirm = first !== undefined && !/\?/.test(first) && !/\.{2,}|…/.test(own)
  if (proposals.length === 0 || !isFirm) return []
  // "Yes. Do it." is one assent.
  const more: Array<string> = []
  let assent = first
  for (const sentence of rest) {
    if (more.length === 0 && readAssent(sentence, []) !== null && !/\?/.test(sentence)) assent += ` ${sentence}`
    else more.push(sentence)
  }
  const isBeside = (one: string) =>
    isQuestionApart(one) && !/\d/.test(one) && !say.doubts.some((doubt) => doubt.test(one))
  if (!more.every(isBeside)) return []
  return acceptedBy(assent, proposals)
}

const acceptedBy = (assent: string, proposals: ReadonlyArray<WriteProposal>): ReadonlyArray<WriteProposal> => {
  const loose = readAssent(assent, [])
  if (pair.test(assent) && proposals.length !== 2) return []
  if (loose === null || !loose.accepts && loose.picked.length === 0) return []
  const chosen = loose.picked.length > 0
    ? [...new Set(loose.picked)].flatMap((i) => proposals[i] ?? [])
    : proposals.length === 1 || loose.all
    ? proposals
    : []
  // "Close it" accepts no proposal to open one.
  const reading = readAssent(assent, chosen.map(({ tool }) => tool))
  return reading === null || !reading.accepts ? [] : chosen
}
