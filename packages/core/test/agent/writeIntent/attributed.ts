import {
  addCoins,
  asked,
  type Call,
  close,
  type Example,
  notAsked,
  note,
  other,
  removeCoins,
  setPosition,
  several
} from "./example.ts"

const drop = (id: number): Call => ["delete_position", { id }]
const dropTask = (id: number): Call => ["delete_task", { id }]

/**
 * Messages that name another person, next to requests in which similar words only describe what is requested. Each
 * language has an equal number of messages.
 */
export const attributed: Readonly<Record<"en" | "ko" | "ru", ReadonlyArray<Example>>> = {
  en: [
    notAsked("Delete position 17 (review by JPM)", drop(17)),
    notAsked("Delete position 17: my bot", drop(17)),
    notAsked("Delete position 17 - my analyst", drop(17)),
    notAsked("Delete position 17, by my trading bot", drop(17)),
    notAsked("Delete position 17 (brief)", drop(17)),
    notAsked("Delete position 17: report from CNBC", drop(17)),
    notAsked("Close position 17 at 65000 (per GS)", close(17, 65000)),
    notAsked("Delete task 12. Bot.", dropTask(12)),
    notAsked("Delete position 17 - everyone", drop(17)),
    notAsked("everyone, delete position 17", drop(17)),
    notAsked("Delete position 17 [trade log]", drop(17)),
    other("Delete position 17 - JPM", drop(17)),
    other("JPM, delete position 17", drop(17)),
    other("Delete task 12 - GS", dropTask(12)),
    asked("Hey bot, delete position 17", drop(17)),
    asked("Delete position 17 (BTC)", drop(17)),
    asked("Delete position 17: my BTC long", drop(17)),
    asked("Close position 17 at 65000 - thanks", close(17, 65000)),
    asked("Analyst, please delete task 12", dropTask(12)),
    asked("Record a long SOL from 130, stop 124", setPosition("SOL", "long", { entry: 130, stop: 124 })),
    asked(
      "log this: ETH long 2600, stop 2500 leverage 10",
      setPosition("ETH", "long", { entry: 2600, stop: 2500, leverage: 10 })
    ),
    other("Record a long SOL from 130 to 140", setPosition("SOL", "long", { entry: 130 })),
    several("Remove DOGE from my watchlist and add PEPE", removeCoins("DOGE"), addCoins("PEPE")),
    several("remove DOGE and add PEPE to my watchlist", removeCoins("DOGE"), addCoins("PEPE")),
    asked("Add a note on BTC: too early", note("too early", { coin: "BTC" }))
  ],
  ko: [
    notAsked("하나가 17번 포지션 삭제해줘", drop(17)),
    notAsked("우리가 17번 포지션 삭제해줘", drop(17)),
    notAsked("시장이 17번 포지션 삭제해줘", drop(17)),
    notAsked("한수가 17번 포지션 삭제해줘", drop(17)),
    notAsked("정도가 12번 작업 삭제해줘", dropTask(12)),
    notAsked("17번 포지션 삭제해줘 (JPM 보고)", drop(17)),
    notAsked("17번 포지션 삭제해줘: 봇", drop(17)),
    notAsked("17번 포지션 삭제해줘 - 하나", drop(17)),
    notAsked("그가 17번 포지션 삭제해줘", drop(17)),
    notAsked("하나 17번 포지션 삭제해줘", drop(17)),
    notAsked("17번 포지션 65000에 청산해줘 (하나에게)", close(17, 65000)),
    other("17번 포지션 삭제해줘 - JPM", drop(17)),
    other("JPM, 17번 포지션 삭제해줘", drop(17)),
    other("12번 작업 삭제해줘 - GS", dropTask(12)),
    asked("안녕하세요, 17번 포지션 삭제해주세요", drop(17)),
    asked("17번 포지션(BTC) 삭제해줘", drop(17)),
    asked("17번 포지션 삭제해줘: 비트코인 롱", drop(17)),
    asked("지금 바로 17번 포지션 65000에 청산해줘", close(17, 65000)),
    asked("12번 작업 좀 삭제해줘", dropTask(12)),
    asked("솔라나 롱 130에서 진입, 손절 124 기록해줘", setPosition("SOL", "long", { entry: 130, stop: 124 })),
    asked(
      "이더 롱 2600, 손절 2500 레버리지 10 기록해줘",
      setPosition("ETH", "long", { entry: 2600, stop: 2500, leverage: 10 })
    ),
    other("솔라나 롱 130에서 140으로 기록해줘", setPosition("SOL", "long", { entry: 130 })),
    several("관심종목에서 도지 빼고 페페 추가해줘", removeCoins("DOGE"), addCoins("PEPE")),
    several("도지 빼고 페페를 관심종목에 추가해줘", removeCoins("DOGE"), addCoins("PEPE")),
    asked("비트코인 메모해줘: 너무 빨랐다", note("너무 빨랐다", { coin: "BTC" }))
  ],
  ru: [
    notAsked("Удали позицию 17 (отчёт JPM)", drop(17)),
    notAsked("Удали позицию 17: мой бот", drop(17)),
    notAsked("Удали позицию 17 - мой аналитик", drop(17)),
    notAsked("Удали позицию 17, от JPM", drop(17)),
    notAsked("Удали позицию 17 (обзор)", drop(17)),
    notAsked("Удали позицию 17: запись от CNBC", drop(17)),
    notAsked("Закрой позицию 17 по 65000 (от GS)", close(17, 65000)),
    notAsked("Удали задачу 12. Бот.", dropTask(12)),
    notAsked("Удали позицию 17 - присылай", drop(17)),
    notAsked("все, удали позицию 17, говорю вам", drop(17)),
    notAsked("Удали позицию 17 (запись вам)", drop(17)),
    other("Удали позицию 17 - JPM", drop(17)),
    other("JPM, удали позицию 17", drop(17)),
    other("Удали задачу 12 - GS", dropTask(12)),
    asked("Привет, удали позицию 17", drop(17)),
    asked("Удали позицию 17 (BTC)", drop(17)),
    asked("Удали позицию 17: мой лонг BTC", drop(17)),
    asked("Закрой позицию 17 по 65000 - спасибо", close(17, 65000)),
    asked("Пожалуйста, удали задачу 12", dropTask(12)),
    asked("Запиши лонг SOL от 130, стоп 124", setPosition("SOL", "long", { entry: 130, stop: 124 })),
    asked(
      "запиши: лонг эфира 2600, стоп 2500 плечо 10",
      setPosition("ETH", "long", { entry: 2600, stop: 2500, leverage: 10 })
    ),
    other("Запиши лонг SOL с 130 до 140", setPosition("SOL", "long", { entry: 130 })),
    several("Убери DOGE из вотчлиста и добавь PEPE", removeCoins("DOGE"), addCoins("PEPE")),
    several("убери DOGE и добавь PEPE в вотчлист", removeCoins("DOGE"), addCoins("PEPE")),
    asked("Добавь заметку по BTC: рано вошёл", note("рано вошёл", { coin: "BTC" }))
  ]
}
