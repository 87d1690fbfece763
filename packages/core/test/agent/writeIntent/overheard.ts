import {
  addCoins,
  type Call,
  close,
  closeSol,
  declined,
  type Example,
  notAsked,
  note,
  other,
  read,
  update,
  watch,
  watchEth
} from "./example.ts"

const drop = (id: number): Call => ["delete_position", { id }]
const dropTask = (id: number): Call => ["delete_task", { id }]
const closeBtc = close(17, 65000)

/** Messages that another author wrote with knowledge of the rules, to use the gaps that the rules left. */
export const overheard: ReadonlyArray<Example> = [
  // A request for information, a reminder or a view continues with another verb.
  notAsked("Remind me to check the market and close position 17 at 65000", closeBtc),
  notAsked("Alert me to close position 17 at 65000 and delete task 12", dropTask(12)),
  notAsked("Check whether the exchange can close position 17 at 65000 and delete position 18", drop(18)),
  notAsked("Review my plan to hold BTC and close position 17 at 65000", closeBtc),
  notAsked("Report on my strategy to buy ETH and delete position 17", drop(17)),
  notAsked("Tell me the best way to hedge and close position 17 at 65000", closeBtc),
  notAsked("Show me traders that hold and delete position 17", drop(17)),
  notAsked("17번 포지션 65000에 정리하고 현금 보유하는 전략 분석해줘", closeBtc),
  notAsked("17번 포지션 손절가 58000으로 바꾸고 기다리는 전략 분석해줘", update(17, { stop: 58000 })),
  notAsked("12번 작업 삭제하고 새로 만드는 법 알려줘", dropTask(12)),
  notAsked("Напомни проверить рынок и удали позицию 17", drop(17)),
  // Another person is given the order, or informed of it.
  notAsked("Email John, close position 17 at 65000", closeBtc),
  notAsked("Show Mike, delete position 17", drop(17)),
  notAsked("Delete position 17 - report from Reuters", drop(17)),
  notAsked("Delete position 17, brief from Goldman", drop(17)),
  notAsked("Delete position 17, my analyst called", drop(17)),
  notAsked("Скажи Ивану, закрой позицию 17 по 65000", closeBtc),
  notAsked("Предупреди Машу, удали задачу 12", dropTask(12)),
  notAsked("Удали позицию 17 - пришли из чата", drop(17)),
  // A separate sentence takes the request back or delays it.
  notAsked("Delete position 17. As if!", drop(17)),
  notAsked("Close position 17 at 65000. When pigs fly.", closeBtc),
  notAsked("Delete position 17. If you believe Elon.", drop(17)),
  notAsked("Close position 17 at 65000. Only once BTC hits 70000.", closeBtc),
  notAsked("When BTC hits 65000. Close position 17 at 65000.", closeBtc),
  notAsked("Close position 17 at 65000. Or hold my BTC?", closeBtc),
  notAsked("Delete position 17. Is it a mistake for my BTC?", drop(17)),
  notAsked("17번 포지션 65000에 청산해줘. 비트가 65000 가면.", closeBtc),
  notAsked("17번 포지션 삭제해줘. 아내가 동의하면.", drop(17)),
  notAsked("Закрой позицию 17 по 65000. Когда биткоин дойдет.", closeBtc),
  notAsked("Удали позицию 17. Когда рак на горе свистнет.", drop(17)),
  notAsked("Закрой позицию 17 по 65000. Или держать BTC?", closeBtc),
  // Text that is struck through, crossed out or not ticked.
  notAsked("Delete position 17 ❌", drop(17)),
  notAsked("Delete position 17 🤡", drop(17)),
  notAsked("~~удали позицию 17~~", drop(17)),
  notAsked("☐ удали позицию 17", drop(17)),
  notAsked("~~17번 포지션 삭제해줘~~", drop(17)),
  other("Close position 17 at ~~65000~~ 61000", closeBtc),
  other("Close position 17 at 65000 61000", closeBtc, close(17, 61000)),
  // A request to read the journal is not a note.
  notAsked("Show my journal: BTC trades only", note("BTC trades only")),
  notAsked("Analyze my trading journal - mistakes in March", note("mistakes in March")),
  notAsked("Open my journal: BTC", note("BTC")),
  notAsked("매매일지 분석해줘: 3월 실수", note("3월 실수")),
  notAsked("Сделай обзор журнала: сделки BTC", note("сделки BTC")),
  // Some items, but not all items.
  other("Mark the first two notifications as read", read),
  other("Mark the BTC notification as read", read),
  other("Mark price notifications as read", read),
  other("비트코인 알림 읽음 처리해줘", read),
  other("Отметь уведомление о BTC прочитанным", read),
  // A number that is not a price.
  other("Alert me when BTC RSI goes above 70", watch("BTC above 70", "BTC", "gt", 70)),
  other("Alert me when BTC funding is above 0.05", watch("BTC above 0.05", "BTC", "gt", 0.05)),
  other("비트코인 RSI 70 넘으면 알려줘", watch("BTC 70", "BTC", "gt", 70)),
  other("Сообщи, когда фандинг биткоина выше 0,05", watch("BTC выше 0,05", "BTC", "gt", 0.05)),
  // A yes that asks a question, hesitates, or contains more than the number of proposals.
  declined("Yes. Are you sure?"),
  declined("Yes. Or hold BTC?"),
  declined("네. 확실해?"),
  declined("Да. Точно?"),
  declined("어..."),
  declined("yes 🙃"),
  declined("yes, both", [watchEth, closeSol, { tool: "update_watchlist", arguments: { add: ["BTC"] } }]),
  declined("yes all right", [watchEth, closeSol]),
  declined("yes 1.2", [watchEth, closeSol]),
  declined("yes 1/2", [watchEth, closeSol]),
  notAsked("Add BTC to my watchlist, said nobody", addCoins("BTC"))
]
