import type { SignInFailure } from "@tapeline/client"
import { defineTexts } from "../../i18n/texts.ts"

type RejectionTexts = Readonly<Record<SignInFailure, string>>

export const rejectionTexts = defineTexts({
  en: {
    elsewhere:
      "This sign-in was not started in this browser, or was started more than ten minutes ago. Start again here.",
    used: "This sign-in was already completed. Start again here.",
    denied: "The sign-in was cancelled or declined at the provider. Start again here.",
    unsound: "The provider's response failed verification. Start again. If this happens again, contact the operator.",
    no_account: "The provider knows you, but you have no account here. Contact the operator of this service.",
    attempts: "Too many sign-ins failed. Wait five minutes and start again.",
    provider_away: "The sign-in provider is unreachable, or not configured for this service. Try again later.",
    unavailable: "The service could not complete the sign-in. Try again later."
  } satisfies RejectionTexts,
  ko: {
    elsewhere: "이 브라우저에서 시작한 로그인이 아니거나, 시작한 지 10분이 지났습니다. 여기에서 다시 시작해 주세요.",
    used: "이미 완료된 로그인입니다. 여기에서 다시 시작해 주세요.",
    denied: "로그인 제공자에서 로그인이 취소되었거나 거부되었습니다. 여기에서 다시 시작해 주세요.",
    unsound: "로그인 제공자의 응답을 검증하지 못했습니다. 다시 시도하고, 계속되면 운영자에게 문의해 주세요.",
    no_account: "신원은 확인되었지만 이 서비스에 계정이 없습니다. 운영자에게 문의해 주세요.",
    attempts: "로그인 실패가 너무 많습니다. 5분 뒤에 다시 시작해 주세요.",
    provider_away: "로그인 제공자에 연결할 수 없거나 이 서비스용으로 설정되지 않았습니다. 잠시 후 다시 시도해 주세요.",
    unavailable: "로그인을 완료하지 못했습니다. 잠시 후 다시 시도해 주세요."
  },
  ru: {
    elsewhere: "Этот вход начат не в этом браузере или больше десяти минут назад. Начните здесь заново.",
    used: "Этот вход уже завершён. Начните здесь заново.",
    denied: "Вход отменён или отклонён на стороне провайдера. Начните здесь заново.",
    unsound: "Ответ провайдера не прошёл проверку. Начните заново; если ошибка повторится, сообщите оператору сервиса.",
    no_account: "Провайдер вас знает, но аккаунта здесь нет. Обратитесь к оператору сервиса.",
    attempts: "Слишком много неудачных попыток входа. Подождите пять минут и начните заново.",
    provider_away: "Провайдер входа недоступен или не настроен для этого сервиса. Попробуйте позже.",
    unavailable: "Сервису не удалось завершить вход. Попробуйте позже."
  }
})

const isReason = (text: string): text is SignInFailure => Object.hasOwn(rejectionTexts.en, text)

/** Returns the reason of a failed sign-in from the query parameters; undefined for an unknown reason. */
export const parseRejection = (query: URLSearchParams): SignInFailure | undefined => {
  const reason = query.get("refused") ?? ""
  return isReason(reason) ? reason : undefined
}
