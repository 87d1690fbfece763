import { ask, type Intent } from "../intent.ts"
import { coinOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksSocial = rule(
  "social(?: media| sentiment)?|twitter|telegram|reddit|mentions?|(?<!\\$)hype|buzz|people say(?:ing)?|crowd says|shill(?:ed|ing)?|bots?|organic|authentic|bought or (?:just )?(?:spoken|talked)|spoken",
  "소셜|트위터|텔레그램|레딧|커뮤니티|언급|여론|화제|봇|작전|자연스러운",
  "соцсет|соцмед|твиттер|телеграм|реддит|упоминани|хайп|обсужд|пишут|боты|накрут|органич"
)
const asksTrending = rule(
  "trending|most (?:talked|mentioned)(?: about)?|hot(?:test)? coins?",
  "뜨는|트렌딩|인기\\s?코인|화제의?\\s?코인|핫한",
  "в тренде|трендов|самые обсуждаем|что (?:сейчас )?обсужда|популярн[а-я]+ монет"
)

const said = {
  verdict: text(
    "Talk about {name} is {trajectory}: {mentions} mentions in 24 hours against {before} the day before.",
    "{name} 언급은 {trajectory}입니다. 24시간 {mentions}건, 전일 {before}건.",
    "Обсуждение {name}: {trajectory}; упоминаний за 24 часа {mentions}, днем раньше {before}."
  ),
  tone: text(
    "Sentiment {sentiment} on a scale from -1 to 1 ({before} the day before); breadth of authors {breadth}.",
    "감성 {sentiment}(-1~1, 전일 {before}), 작성자 다양성 {breadth}.",
    "Тональность {sentiment} по шкале от -1 до 1 (днем раньше {before}); широта авторов {breadth}."
  ),
  rank: text(
    "Percentile of the week {percentile}, z-score {z}.",
    "주간 백분위 {percentile}, z 점수 {z}.",
    "Перцентиль за неделю {percentile}, z-оценка {z}."
  ),
  authentic: text(
    "Authenticity: {label} (score {score} of 1, n = {n}, duplicates {duplicates}).",
    "진정성: {label}(점수 {score}/1, n = {n}, 중복 {duplicates}).",
    "Подлинность: {label} (балл {score} из 1, n = {n}, копий {duplicates})."
  ),
  caution: text(
    "Much of it reads as coordinated: I would not trade on this talk.",
    "상당수가 조직적으로 보이므로 이 여론만 보고 매매하지 않는 편이 좋습니다.",
    "Многое похоже на координацию: на таких разговорах я бы не торговал."
  ),
  change: text(
    "Mentions that rise with many new authors carry weight; the same texts from few accounts do not.",
    "새 작성자가 늘면서 언급이 늘면 의미가 있지만, 소수 계정의 같은 글은 의미가 없습니다.",
    "Вес имеет рост упоминаний с новыми авторами, а не одни тексты с немногих счетов."
  ),
  why: text(
    "Social talk follows price more often than it leads: I use it for crowding, not for direction.",
    "소셜은 가격을 앞서기보다 따라가는 경우가 많아 방향보다 쏠림을 보는 데 씁니다.",
    "Разговоры чаще следуют за ценой, чем опережают ее: они для оценки скученности, не направления."
  ),
  trending: text(
    "Most talked about beyond the usual: {coin}, {mentions} mentions in 24 hours.",
    "평소보다 가장 화제인 코인은 {coin}, 24시간 언급 {mentions}건입니다.",
    "Сильнее обычного обсуждают {coin}: {mentions} упоминаний за 24 часа."
  ),
  row: text(
    "{coin}: {mentions} mentions, {acceleration} against the day before, sentiment {sentiment}.",
    "{coin}: 언급 {mentions}건, 전일 대비 {acceleration}, 감성 {sentiment}.",
    "{coin}: упоминаний {mentions}, к прошлому дню {acceleration}, тональность {sentiment}."
  )
}

const next = [
  text("Is the talk about {name} organic?", "{name} 소셜 언급은 자연스러운가요?", "Живое ли обсуждение {name}?"),
  text("What is the news on {name}?", "{name} 뉴스는 무엇이 있나요?", "Какие новости по {name}?"),
  questions.trending,
  questions.movers
]

/** Matches questions whether buying or social posts move a price, which may name no coin. */
const asksBehind = rule("bought or|spoken", "(?:매수|돈)[가-힣]* (?:말|소문)", "куплен[а-я]* или")

export const social: Intent = {
  name: "social",
  reads: [
    rule("social|media|community|mood|bots?", "소셜|커뮤니티|분위기|봇|조작", "соцсет|бот|настроен|накрут"),
    asksSocial,
    asksBehind
  ],
  spans: true,
  asked: ({ coins, words }) => asksSocial.test(words) && (coins.length > 0 || asksBehind.test(words)),
  over: ["price", "trend", "trending"],
  plan: (reading) => {
    const coin = coinOf(reading)
    return [ask("get_social_momentum", { coin }), ask("get_authenticity", { coin })]
  },
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_social_momentum", { coin: name })
    const authentic = found.of("get_authenticity", { coin: name })
    return {
      verdict: say(said.verdict, {
        name,
        trajectory: wordOf(lang, data.str("trajectory")),
        mentions: format.count(data.num("mentions_24h")),
        before: format.count(data.num("mentions_prior_24h"))
      }),
      evidence: [
        say(said.tone, {
          sentiment: format.fixed(data.num("sentiment"), 2),
          before: format.fixed(data.num("sentiment_prior_24h"), 2),
          breadth: format.share(data.num("breadth"))
        }),
        say(said.rank, {
          percentile: format.fixed(data.num("mentions_percentile_7d"), 0),
          z: format.fixed(data.num("z"), 1)
        }),
        say(said.authentic, {
          label: wordOf(lang, authentic.str("label")),
          score: format.fixed(authentic.num("score"), 2),
          n: format.count(authentic.num("n")),
          duplicates: format.share(authentic.num("duplication"))
        }),
        authentic.str("label") === "manufactured" ? say(said.caution, {}) : null
      ],
      change: say(said.change, {}),
      why: say(said.why, {})
    }
  },
  next
}

const shown = 5

export const trending: Intent = {
  name: "trending",
  reads: [
    rule("social|media|telegram|talk(?:ed)?|hot(?:test)?", "소셜|화제|텔레그램|뜨", "соцсет|телеграм|обсужда"),
    asksTrending
  ],
  asked: ({ coins, words }) =>
    asksTrending.test(words) || (asksSocial.test(words) && coins.length === 0 && !asksBehind.test(words)),
  over: ["price", "trend", "movers", "overview"],
  plan: () => [ask("get_trending", { top: shown })],
  write: (_, found, { format, say }) => {
    const coins = found.of("get_trending").list("coins")
    return {
      verdict: say(said.trending, {
        coin: coins[0]?.str("coin") ?? null,
        mentions: format.count(coins[0]?.num("mentions_24h") ?? null)
      }),
      evidence: coins.slice(0, shown).map((coin) =>
        say(said.row, {
          coin: coin.str("coin"),
          mentions: format.count(coin.num("mentions_24h")),
          acceleration: format.gain(coin.num("acceleration")),
          sentiment: format.fixed(coin.num("sentiment"), 2)
        })
      ),
      change: say(said.change, {}),
      why: say(said.why, {})
    }
  },
  next: next.slice(1)
}
