/** The messages about webhooks in all languages. */
export const webhookMessages = {
  en: {
    unknown_webhook: (p: { readonly id: number }) => `There is no webhook ${p.id}.`,
    unknown_delivery: (p: { readonly id: number }) => `There is no delivery of the event ${p.id} to this webhook.`,
    webhook_limit: (p: { readonly limit: number }) =>
      `The service already has the maximum of ${p.limit} webhooks. Delete one first.`,
    webhook_disabled: (p: { readonly id: number }) => `Webhook ${p.id} is disabled. Enable it first.`,
    webhook_url_invalid: "Enter an absolute URL without a fragment, with at most 2048 characters.",
    webhook_url_not_https: "Enter a URL that begins with `https://`.",
    webhook_url_credentials: "Enter a URL without a user and a password.",
    webhook_url_private: "This address belongs to a private or reserved network. An operator can permit it with " +
      "TAPELINE_WEBHOOK_ALLOW_PRIVATE."
  },
  ko: {
    unknown_webhook: (p: { readonly id: number }) => `웹훅 ${p.id}이(가) 없습니다.`,
    unknown_delivery: (p: { readonly id: number }) => `이 웹훅에는 이벤트 ${p.id}의 전송 기록이 없습니다.`,
    webhook_limit: (p: { readonly limit: number }) =>
      `웹훅은 최대 ${p.limit}개까지 만들 수 있습니다. 먼저 기존 웹훅을 삭제해 주세요.`,
    webhook_disabled: (p: { readonly id: number }) => `웹훅 ${p.id}은(는) 비활성 상태입니다. 먼저 활성화해 주세요.`,
    webhook_url_invalid: "2048자 이하의 절대 URL을 프래그먼트(#) 없이 입력해 주세요.",
    webhook_url_not_https: "`https://`로 시작하는 URL을 입력해 주세요.",
    webhook_url_credentials: "사용자 이름과 비밀번호가 없는 URL을 입력해 주세요.",
    webhook_url_private:
      "사설망이나 예약된 네트워크의 주소입니다. 운영자는 TAPELINE_WEBHOOK_ALLOW_PRIVATE로 허용할 수 있습니다."
  },
  ru: {
    unknown_webhook: (p: { readonly id: number }) => `Вебхука ${p.id} нет.`,
    unknown_delivery: (p: { readonly id: number }) => `Доставки события ${p.id} на этот вебхук нет.`,
    webhook_limit: (p: { readonly limit: number }) =>
      `Вебхуков уже максимальное число: ${p.limit}. Сначала удалите один из них.`,
    webhook_disabled: (p: { readonly id: number }) => `Вебхук ${p.id} отключён. Сначала включите его.`,
    webhook_url_invalid: "Укажите абсолютный URL без фрагмента, не длиннее 2048 символов.",
    webhook_url_not_https: "Укажите URL, который начинается с `https://`.",
    webhook_url_credentials: "Укажите URL без имени пользователя и пароля.",
    webhook_url_private:
      "Этот адрес относится к частной или зарезервированной сети. Оператор может разрешить его переменной " +
      "TAPELINE_WEBHOOK_ALLOW_PRIVATE."
  }
} as const
