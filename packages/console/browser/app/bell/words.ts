import { credits } from "../../words/credits.ts"
import { russian } from "../../words/language.ts"
import { words } from "../../words/words.ts"

/** The texts of the notification panel. */
export const bellWords = words({
  en: {
    title: "Notifications",
    button: (unread: number) => unread === 0 ? "Notifications" : `Notifications, ${unread} unread`,
    many: (count: number) => `${count} new notifications`,
    list: (count: number, price: number) => `Show the last ${count} · ${credits.en(price)}`,
    anew: (price: number) => `Load anew · ${credits.en(price)}`,
    mark: (price: number) => `Mark all as read · ${credits.en(price)}`,
    unread: "Unread",
    none: "Nothing has rung yet",
    noneMore: "What your tasks find is told here. Make one, or ask the analyst to.",
    noneHere: "Nothing has rung since this page was opened",
    noneHereMore: "What rings shows here by itself, at no cost. What rang before is asked for.",
    older: (count: number) => `${count} older unread ${count === 1 ? "notification" : "notifications"}`,
    olderMore: "The page shows only what came since it was opened. The button below loads older notifications.",
    more: "Open the conversation",
    task: "Open the task",
    tasks: "All tasks"
  },
  ko: {
    title: "알림",
    button: (unread) => unread === 0 ? "알림" : `알림, 읽지 않음 ${unread}개`,
    many: (count) => `새 알림 ${count}개`,
    list: (count, price) => `최근 ${count}개 보기 · ${price} 크레딧`,
    anew: (price) => `새로 불러오기 · ${price} 크레딧`,
    mark: (price) => `모두 읽음으로 표시 · ${price} 크레딧`,
    unread: "읽지 않음",
    none: "아직 알림이 없습니다",
    noneMore: "작업이 찾은 내용이 여기에 표시됩니다. 직접 만들거나 애널리스트에게 부탁해 보세요.",
    noneHere: "이 페이지를 연 뒤로 알림이 없습니다",
    noneHereMore: "새 알림은 비용 없이 자동으로 표시됩니다. 이전 알림은 따로 불러옵니다.",
    older: (count) => `읽지 않은 이전 알림 ${count}개`,
    olderMore: "이 페이지를 열기 전에 온 알림입니다. 아래 버튼으로 불러올 수 있습니다.",
    more: "대화 열기",
    task: "작업 열기",
    tasks: "모든 작업"
  },
  ru: {
    title: "Уведомления",
    button: (unread) => unread === 0 ? "Уведомления" : `Уведомления, непрочитанных: ${unread}`,
    many: (count) => `${count} ${russian(count, "новое уведомление", "новых уведомления", "новых уведомлений")}`,
    list: (count, price) => `Показать последние ${count} · ${credits.ru(price)}`,
    anew: (price) => `Обновить · ${credits.ru(price)}`,
    mark: (price) => `Отметить всё прочитанным · ${credits.ru(price)}`,
    unread: "Не прочитано",
    none: "Уведомлений ещё не было",
    noneMore: "Здесь появится то, что найдут ваши задачи. Создайте задачу или попросите аналитика.",
    noneHere: "С открытия этой страницы уведомлений не было",
    noneHereMore: "Новое появится здесь само и бесплатно. Прежнее загружается по запросу.",
    older: (count) =>
      `${count} ${
        russian(count, "непрочитанное уведомление", "непрочитанных уведомления", "непрочитанных уведомлений")
      }`,
    olderMore:
      "Страница показывает только то, что пришло после её открытия. Прежние уведомления загружает кнопка ниже.",
    more: "Открыть беседу",
    task: "Открыть задачу",
    tasks: "Все задачи"
  }
})
