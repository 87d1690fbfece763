import { creditTexts } from "../../i18n/creditTexts.ts"
import { russianPlural } from "../../i18n/language.ts"
import { defineTexts } from "../../i18n/texts.ts"

export const notificationTexts = defineTexts({
  en: {
    title: "Notifications",
    button: (unread: number) => unread === 0 ? "Notifications" : `Notifications, ${unread} unread`,
    newCount: (count: number) => `${count} new ${count === 1 ? "notification" : "notifications"}`,
    list: (count: number, price: number) => `Show the last ${count} · ${creditTexts.en(price)}`,
    reload: (price: number) => `Refresh · ${creditTexts.en(price)}`,
    markRead: (price: number) => `Mark all as read · ${creditTexts.en(price)}`,
    unread: "Unread",
    none: "No notifications yet",
    noneDetail: "Results of your tasks appear here. Create a task, or ask the analyst to create one.",
    noneHere: "No notifications since you opened this page",
    noneHereDetail: "New notifications appear here automatically and are free. The button below loads older ones.",
    older: (count: number) => `${count} older unread ${count === 1 ? "notification" : "notifications"}`,
    olderDetail: "They arrived before you opened this page. The button below loads them.",
    more: "Open the conversation",
    task: "Open the task",
    tasks: "All tasks"
  },
  ko: {
    title: "알림",
    button: (unread) => unread === 0 ? "알림" : `알림, 읽지 않음 ${unread}개`,
    newCount: (count) => `새 알림 ${count}개`,
    list: (count, price) => `최근 ${count}개 보기 · ${price} 크레딧`,
    reload: (price) => `새로 고침 · ${price} 크레딧`,
    markRead: (price) => `모두 읽음으로 표시 · ${price} 크레딧`,
    unread: "읽지 않음",
    none: "아직 알림이 없습니다",
    noneDetail: "작업의 결과가 여기에 표시됩니다. 작업을 만들거나 애널리스트에게 요청해 보세요.",
    noneHere: "이 페이지를 연 뒤 받은 알림이 없습니다",
    noneHereDetail: "새 알림은 무료로 자동 표시됩니다. 이전 알림은 아래 버튼으로 불러옵니다.",
    older: (count) => `읽지 않은 이전 알림 ${count}개`,
    olderDetail: "이 페이지를 열기 전에 받은 알림입니다. 아래 버튼으로 불러옵니다.",
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
    none: "Уведомлений пока нет",
    noneDetail: "Здесь появляются результаты ваших задач. Создайте задачу или поручите это аналитику.",
    noneHere: "С момента открытия страницы уведомлений не было",
    noneHereDetail: "Новые уведомления появляются здесь автоматически и бесплатно. Прежние загружает кнопка ниже.",
    older: (count) =>
      `${count} ${
        russianPlural(count, "непрочитанное уведомление", "непрочитанных уведомления", "непрочитанных уведомлений")
      }`,
    olderDetail: "Они пришли до открытия этой страницы. Их загружает кнопка ниже.",
    more: "Открыть диалог",
    task: "Открыть задачу",
    tasks: "Все задачи"
  }
})
