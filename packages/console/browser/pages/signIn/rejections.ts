import type { SignInFailure } from "@tapeline/client"
import { defineTexts } from "../../i18n/texts.ts"

type RejectionTexts = Readonly<Record<SignInFailure, string>>

/** The messages for a failed sign-in with a provider, with a remedy. */
export const rejectionTexts = defineTexts({
  en: {
    elsewhere: "This browser began no such sign-in, or began it more than ten minutes ago. Begin again here.",
    used: "This sign-in was completed before. Begin again here.",
    denied: "The sign-in was declined there. Begin again if that was not meant.",
    unsound: "The answer that came back does not check. Begin again; if it stays so, tell who runs this service.",
    no_account: "You are known there, but nobody has an account for you here. Ask who runs this service.",
    attempts: "Too many sign-ins have failed. Wait for five minutes, and begin again.",
    provider_away: "The sign-in service cannot be reached, or is not set up for this one. Try again in a while.",
    unavailable: "The service could not complete the sign-in just now. Try again in a while."
  } satisfies RejectionTexts,
  ko: {
    elsewhere: "이 브라우저에서 시작한 로그인이 아니거나, 시작한 지 10분이 지났습니다. 여기에서 다시 시작해 주세요.",
    used: "이미 끝난 로그인입니다. 여기에서 다시 시작해 주세요.",
    denied: "그쪽에서 로그인이 거절되었습니다. 의도한 것이 아니라면 다시 시작해 주세요.",
    unsound: "돌아온 응답을 확인할 수 없습니다. 다시 시작해 보고, 계속되면 서비스 운영자에게 알려 주세요.",
    no_account: "신원은 확인되었지만 여기에 계정이 없습니다. 서비스 운영자에게 문의해 주세요.",
    attempts: "실패한 로그인이 너무 많습니다. 5분 뒤에 다시 시작해 주세요.",
    provider_away: "로그인 서비스에 연결할 수 없거나 설정이 맞지 않습니다. 잠시 뒤 다시 시도해 주세요.",
    unavailable: "지금은 로그인을 마칠 수 없습니다. 잠시 뒤 다시 시도해 주세요."
  },
  ru: {
    elsewhere: "Этот браузер не начинал такой вход, или начал его больше десяти минут назад. Начните здесь заново.",
    used: "Этот вход уже был завершён. Начните здесь заново.",
    denied: "Там во входе отказали. Если так вышло случайно, начните заново.",
    unsound: "Вернувшийся ответ не прошёл проверку. Начните заново; если повторится, сообщите тому, кто ведёт сервис.",
    no_account: "Там вас знают, но учётной записи здесь нет. Обратитесь к тому, кто ведёт сервис.",
    attempts: "Слишком много неудачных входов. Подождите пять минут и начните заново.",
    provider_away: "Служба входа недоступна или не настроена для этого сервиса. Попробуйте позже.",
    unavailable: "Сейчас сервис не смог завершить вход. Попробуйте позже."
  }
})

const isReason = (text: string): text is SignInFailure => Object.hasOwn(rejectionTexts.en, text)

/** The reason of a failed sign-in in the query of an address; undefined if it is not one of the known reasons. */
export const parseRejection = (query: URLSearchParams): SignInFailure | undefined => {
  const reason = query.get("refused") ?? ""
  return isReason(reason) ? reason : undefined
}
