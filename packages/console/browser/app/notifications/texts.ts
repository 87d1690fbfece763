import { creditTexts } from "../../i18n/creditTexts.ts"
import { russianPlural } from "../../i18n/language.ts"
import { defineTexts } from "../../i18n/texts.ts"

/** The texts of the notification panel. */
export const notificationTexts = defineTexts({
  en: {
    title: "Notifications",
    button: (unread: number) => unread === 0 ? "Notifications" : `Notifications, ${unread} unread`,
    newCount: (count: number) => `${count} new notifications`,
    list: (count: number, price: number) => `Show the last ${count} · ${creditTexts.en(price)}`,
    reload: (price: number) => `Load anew · ${creditTexts.en(price)}`,
    markRead: (price: number) => `Mark all as read · ${creditTexts.en(price)}`,
    unread: "Unread",
    none: "Nothing has rung yet",
    noneDetail: "What your tasks find is told here. Make one, or ask the analyst to.",
    noneHere: "Nothing has rung since this page was opened",
    noneHereDetail: "What rings shows here by itself, at no cost. What rang before is asked for.",
    older: (count: number) => `${count} older unread ${count === 1 ? "notification" : "notifications"}`,
    olderDetail: "The page shows only what came since it was opened. The button below loads older notifications.",
    more: "Open the conversation",
    task: "Open the task",
    tasks: "All tasks"
  },
  ko: {
    title: "알림",
    button: (unread) => unread === 0 ? "알림" : `알림, 읽지 않음 ${unread}개`,
    newCount: (count) => `새 알림 ${count}개`,
    list: (count, price) => `최근 ${count}개 보기 · ${price} 크레딧`,
    reload: (price) => `새로 불러오기 · ${price} 크레딧`,
    markRead: (price) => `모두 읽음으로 표시 · ${price} 크레딧`,
    unread: "읽지 않음",
    none: "아직 알림이 없습니다",
    noneDetail: "작업이 찾은 내용이 여기에 표시됩니다. 직접 만들거나 애널리스트에게 부탁해 보세요.",
    noneHere: "이 페이지를 연 뒤로 알림이 없습니다",
    noneHereDetail: "새 알림은 비용 없이 자동으로 표시됩니다. 이전 알림은 따로 불러옵니다.",
    older: (count) => `읽지 않은 이전 알림 ${count}개`,
    olderDetail: "이 페이지를 열기 전에 온 알림입니다. 아래 버튼으로 불러올 수 있습니다.",
    more: "대화 열기",
    task: "작업 열기",
    tasks: "모든 작업"
  },
  ru: {
    title: "Уведомления",
    button: (unread) => unread === 0 ? "Уведомления" : `Уведомления, непрочитанных: ${unread}`,
    newCount: (count) =>
      `${count} ${russianPlural(count, "новое уведомление", "новых уведомления", "новых уведомлений")}`,
    list: (count, price) => `Показать последние ${count} · ${creditTexts.ru(price)}`,
    reload: (price) => `Обновить · ${creditTexts.ru(price)}`,
    markRead: (price) => `Отметить всё прочитанным · ${creditTexts.ru(price)}`,
    unread: "Не прочитано",
    none: "Уведомлений ещё не было",
    noneDetail: "Здесь появится то, что найдут ваши задачи. Создайте задачу или попросите аналитика.",
    noneHere: "С открытия этой страницы уведомлений не было",
    noneHereDetail: "Новое появится здесь само и бесплатно. Прежнее загружается по запросу.",
    older: (count) =>
      `${count} ${
        russianPlural(count, "непрочитанное уведомление", "непрочитанных уведомления", "непрочитанных уведомлений")
      }`,
    olderDetail:
      "Страница показывает только то, что пришло после её открытия. Прежние уведомления загружает кнопка ниже.",
    more: "Открыть беседу",
    task: "Открыть задачу",
    tasks: "Все задачи"
  }
})
