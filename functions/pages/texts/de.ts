// The pages' own texts in German.
import {
  MAX_QUANTITY,
  TICKET_CONTENT_LENGTH,
  TICKET_FILE_MEGABYTES,
  TICKET_FILES_LIMIT,
  TICKET_SUBJECT_LENGTH,
} from '../../../lib/http/input-limits.ts'
import type { Interval } from '../../../lib/processors/processor.ts'
import type { Texts } from './en.ts'

const INTERVAL_NAMES: Readonly<Record<Interval, readonly [one: string, many: string]>> = {
  day: ['Tag', 'Tage'],
  week: ['Woche', 'Wochen'],
  month: ['Monat', 'Monate'],
  year: ['Jahr', 'Jahre'],
}

function every(interval: Interval, count: number): string {
  const [one, many] = INTERVAL_NAMES[interval]
  return count === 1 ? `pro ${one}` : `alle ${count} ${many}`
}

/** Names the first periods in the dative: `im ersten Monat`, `in den ersten 3 Monaten`. */
function inFirst(interval: Interval, count: number): string {
  const [one, many] = INTERVAL_NAMES[interval]
  if (count > 1) return `In den ersten ${count} ${many.endsWith('n') ? many : `${many}n`}`
  return interval === 'week' ? `In der ersten ${one}` : interval === 'day' ? `Am ersten ${one}` : `Im ersten ${one}`
}

/** Names a duration in the accusative: `einen Monat`, `3 Monate`. */
function duration(interval: Interval, count: number): string {
  const [one, many] = INTERVAL_NAMES[interval]
  if (count > 1) return `${count} ${many}`
  return interval === 'week' ? `eine ${one}` : interval === 'year' ? `ein ${one}` : `einen ${one}`
}

const dayCount = (days: number) => (days === 1 ? '1 Tag' : `${days} Tage`)
const afterDays = (days: number) => `Nach ${days === 1 ? '1 Tag' : `${days} Tagen`}`

function waitText(minutes: number): string {
  if (minutes <= 1) return 'einer Minute'
  return minutes < 120 ? `${minutes} Minuten` : `${Math.ceil(minutes / 60)} Stunden`
}

export const DE: Texts = {
  account: 'Ihr Konto',
  restoreLink: 'Kauf wiederherstellen',
  ticketLink: 'Support kontaktieren',
  footer: 'Weitere Seiten',
  languages: 'Sprachen',
  terms: 'AGB',
  privacy: 'Datenschutzerklärung',
  imprint: 'Impressum',
  help: 'Hilfe',
  geo: 'IP-Geolokalisierung von DB-IP',

  choose: 'Wählen Sie ein Angebot',
  billing: 'Abrechnung',
  continue: 'Weiter',
  recommended: 'Empfohlen',
  once: 'einmalig',
  perUnit: 'pro Einheit',
  units: 'Anzahl der Einheiten',
  unitCount: (units) => (units === 1 ? '1 Einheit' : `${units} Einheiten`),
  showTotal: 'Summe anzeigen',
  totalShown: 'Der Preis gilt jetzt für die eingegebene Anzahl. Bitte prüfen Sie die Summe vor dem Kauf.',
  wrongUnits: `Bitte geben Sie eine ganze Zahl von 1 bis ${MAX_QUANTITY.toLocaleString('de')} ein.`,
  every,
  intervals: { day: 'Täglich', week: 'Wöchentlich', month: 'Monatlich', year: 'Jährlich' },
  daysFree: (days) => `${dayCount(days)} gratis`,
  trial: (days, then) => `${dayCount(days)} gratis, danach ${then}`,
  thatIs: (monthly) => `Das sind ${monthly}`,
  tokensOfType: (type) => `Tokens (${type})`,
  inTrial: (tokens, trial) => `${tokens}, ${trial} in der Testphase`,
  startTrial: (days) => `${dayCount(days)} gratis testen`,
  pay: (amount) => `${amount} bezahlen`,
  dueToday: (amount) => `Heute fällig: ${amount}.`,
  afterTrial: (price, days) => `${afterDays(days)}: ${price}, bis Sie kündigen.`,
  afterTrialThen: (days, interval, count, price, then) =>
    `${afterDays(days)} zahlen Sie ${price} für ${duration(interval, count)}, danach ${then}, bis Sie kündigen.`,
  renewsAt: (price) => `Danach ${price}, bis Sie kündigen.`,
  ends: (label) => `Ihr Abo „${label}“ endet: Es wird nichts mehr dafür abgebucht.`,
  regularPrice: 'Regulärer Preis:',
  offerPrice: 'Jetzt:',
  firstPeriods: (interval, count, then) => `${inFirst(interval, count)}, danach ${then}`,
  whileSubscribed: 'Solange Ihr Abo läuft',
  daysLeft: (days) => (days === 1 ? 'Letzter Tag' : `Noch ${dayCount(days)}`),
  firstThen: (interval, count, price, then) =>
    `${inFirst(interval, count)} zahlen Sie ${price}, danach ${then}, bis Sie kündigen.`,
  haveCode: 'Haben Sie einen Code?',
  discountCode: 'Rabattcode',
  applyCode: 'Einlösen',
  codeApplied: (code, title) => `Code ${code}: ${title}`,
  removeCode: 'Code entfernen',
  codeLowersNothing: 'Dieser Code senkt keinen der Preise auf dieser Seite.',
  wrongDiscountCode: 'Diesen Code kennen wir nicht. Bitte prüfen Sie ihn.',
  offerProblems: {
    unknown: 'Diesen Code kennen wir nicht. Bitte prüfen Sie ihn.',
    not_for_purchases: 'Dieses Angebot gilt nicht für neue Käufe.',
    not_started: 'Dieses Angebot hat noch nicht begonnen.',
    ended: 'Dieses Angebot ist beendet.',
    other_price: 'Dieses Angebot gilt nicht für diesen Preis.',
    other_country: 'Dieses Angebot gilt nicht in Ihrem Land.',
    no_trial: 'Dieses Angebot lässt sich nicht mit einer Testphase verbinden.',
    used_up: 'Dieses Angebot ist gerade vergriffen.',
    used: 'Sie haben dieses Angebot bereits genutzt.',
  },
  offerGone: (problem, price) => `${problem} Der Preis beträgt jetzt ${price}. Es wurde nichts abgebucht.`,
  offerChanged: 'Der Preis hat sich gerade geändert. Bitte prüfen Sie ihn vor dem Kauf.',

  currentPlan: 'Ihr Tarif',
  planFrom: (day) => `Ihr Tarif ab ${day}`,
  oneSubscription: 'Sie haben bereits ein Abo.',
  hasAccess: 'Sie haben Zugang.',
  notBought:
    'Der Kauf wurde nicht abgeschlossen, und es wurde nichts abgebucht. Sie können es jederzeit erneut versuchen.',
  leavingToCheckout: 'Weiterleitung zur Bezahlung …',
  leavingToPortal: 'Weiterleitung zur Kontoverwaltung …',
  leavingText: 'Falls Sie nicht weitergeleitet werden, klicken Sie auf „Weiter“.',
  leavingLink: 'Weiter',
  close: 'Schließen',

  thanks: 'Vielen Dank!',
  thanksText: 'Ihr Kauf ist bestätigt.',
  pending: 'Ihre Zahlung wird verarbeitet',
  pendingText: 'Wir warten auf die Bestätigung. Diese Seite aktualisiert sich automatisch.',
  pendingLong:
    'Das dauert länger als üblich. Sie können diese Seite schließen: Ihr Kauf erscheint automatisch in Ihrem Konto.',
  otherSubscriptionRenews: (label) =>
    `Ihr Abo „${label}“ läuft weiter und verlängert sich, wenn Sie es nicht kündigen.`,
  thanksSignedOut:
    'Wenn Sie gerade bezahlt haben, wird Ihr Kauf noch verarbeitet. Um ihn hier zu sehen, melden Sie sich mit Ihrer E-Mail-Adresse an.',
  backTo: (name) => `Zurück zu ${name}`,

  signInText:
    'Melden Sie sich an, um Ihre Käufe zu sehen. Sie erhalten einen Code per E-Mail und brauchen kein Passwort.',
  signInToKeepPurchase:
    'Ihr Kauf ist bisher nur mit diesem Browser verknüpft. Melden Sie sich mit Ihrer E-Mail-Adresse an, um ihn auf allen Geräten zu ' +
    'nutzen und zu verwalten.',
  signInToBuy:
    'Bitte melden Sie sich vor dem Bezahlen mit Ihrer E-Mail-Adresse an. Danach geht es mit Ihrer Auswahl weiter.',
  email: 'E-Mail-Adresse',
  requestCode: 'Code anfordern',
  codeSent: (email) => `Wir haben einen Code an ${email} gesendet. Die Zustellung kann eine Minute dauern.`,
  code: 'Code aus der E-Mail',
  codeHint: 'Acht Ziffern. Der Code gilt 10 Minuten und funktioniert einmal.',
  acceptRestoredPurchase: 'Falls die E-Mail einen Kauf mit dieser Adresse nennt, diesen in mein Konto übernehmen',
  signIn: 'Anmelden',
  requestNewCode: 'Neuen Code anfordern',
  signedInAs: (email) => `Angemeldet als ${email}`,
  signOut: 'Abmelden',

  restore: 'Kauf wiederherstellen',
  restoreText:
    'Sie haben bezahlt, sehen Ihren Kauf hier aber nicht? Geben Sie die E-Mail-Adresse ein, die Sie beim Bezahlen verwendet haben. ' +
    'Sie erhalten einen Code, mit dem Sie Ihren Kauf wiederherstellen.',
  restoreEverywhere:
    'Er gehört dann zu Ihrem Konto, und Sie sehen ihn auf jedem Gerät, auf dem Sie sich mit dieser Adresse anmelden. Auf dem Gerät, auf dem Sie ' +
    'ohne Anmeldung gekauft haben, werden Sie abgemeldet.',
  sessionEnds: {
    merged:
      'Sie sind hier abgemeldet, weil Ihr Kauf auf diesem Gerät jetzt zu dem Konto gehört, mit dem Sie sich an anderer Stelle angemeldet haben. ' +
      'Melden Sie sich mit derselben E-Mail-Adresse an, um ihn zu sehen.',
    expired: 'Ihre Sitzung auf diesem Gerät ist beendet. Melden Sie sich erneut an, um Ihre Käufe zu sehen.',
  },
  restored: 'Willkommen zurück. Hier sind Ihre Käufe.',
  nothingRestored: 'Zu dieser Adresse haben wir keinen Kauf gefunden.',

  accessUntil: (day) => `Sie haben Zugang bis zum ${day}.`,
  nothingBought: 'Sie haben noch nichts gekauft.',
  seePrices: 'Zu den Preisen',
  earlier: 'Frühere Käufe',
  tokens: 'Tokens',
  portal: 'Zahlungsmittel und Rechnungen',
  utc: 'Alle Datumsangaben in UTC.',
  statuses: {
    pending: 'Ausstehend',
    trialing: 'Testphase',
    active: 'Aktiv',
    past_due: 'Zahlung fehlgeschlagen',
    paused: 'Pausiert',
    canceled: 'Beendet',
    refunded: 'Erstattet',
  },
  boughtOn: (day) => `Gekauft am ${day}`,
  renewsOn: (day) => `Verlängert sich am ${day}`,
  endsOn: (day) => `Verlängert sich nicht. Sie haben Zugang bis zum ${day}`,
  trialUntil: (day) => `Gratis bis zum ${day}. Verlängert sich danach, wenn Sie nicht vorher kündigen`,
  pastDue: 'Die letzte Zahlung ist fehlgeschlagen. Bitte prüfen Sie Ihr Zahlungsmittel',
  paused: 'Während der Pause wird nichts abgebucht',
  replaced: 'Wird durch Ihren neueren Kauf ersetzt',
  pendingPayment: 'Ihre Zahlung wird verarbeitet',

  payments: 'Zahlungen',
  noPayments: 'Noch keine Zahlungen.',
  earlierPayments: 'Frühere Zahlungen',
  includesTax: (tax) => `inkl. ${tax} Steuern`,
  takenOff: (discount) => `${discount} Rabatt`,
  refundedInFull: 'Erstattet',
  partlyRefunded: (amount) => `${amount} erstattet`,
  disputed: 'Angefochten',
  receipt: 'Beleg',
  receiptPending: 'Ihr Beleg wird erstellt. Er öffnet sich hier in wenigen Sekunden.',
  receiptLate: 'Ihr Beleg ist noch nicht fertig. Bitte versuchen Sie es in einigen Minuten erneut.',
  noReceipt:
    'Zu dieser Zahlung gibt es keinen Beleg. Wenn Sie gerade bezahlt haben, versuchen Sie es bitte in einigen Minuten erneut.',

  changePlan: 'Tarif wechseln',
  changeUnits: 'Anzahl der Einheiten ändern',
  changeTo: (label) => `Zu ${label} wechseln`,
  fromTo: (from, to) => `Von ${from} zu ${to}.`,
  planUntil: (label, day) => `Sie behalten ${label} bis zum ${day}.`,
  creditIncluded: (amount) =>
    `Darin ist eine Gutschrift von ${amount} für den Rest Ihres laufenden Zeitraums enthalten.`,
  nextPayment: (amount, day) => `Nächste Zahlung: ${amount} am ${day}.`,
  renewsUntilCancelled: (price) => `Das Abo verlängert sich für ${price}, bis Sie kündigen.`,
  trialEndsNow: 'Ihre kostenlose Testphase endet heute.',
  isEstimate: 'Die Beträge sind geschätzt: Der Zahlungsdienst berechnet sie, wenn Sie bestätigen.',
  renewsAgain: 'Ihr Abo ist gekündigt. Nach dem Wechsel verlängert es sich wieder.',
  payAndChange: (amount) => `${amount} zahlen und wechseln`,
  changeNow: 'Jetzt wechseln',
  changeOn: (day) => `Zum ${day} wechseln`,
  keepPlan: (label) => `${label} behalten`,
  planKept: (label) => `Sie behalten ${label}`,
  planUnscheduled: (label) => `Sie wechseln nicht zu ${label}.`,
  planChanged: (label) => `Sie haben zu ${label} gewechselt`,
  planPending: (label) => `Ihr Wechsel zu ${label} läuft`,
  planPendingHint:
    'Ihre Bank bearbeitet die Zahlung. Das kann einige Tage dauern. Ihr Tarif wechselt, sobald sie eingegangen ist.',
  planWillChange: (label, day) => `Sie wechseln am ${day} zu ${label}`,
  paymentDeclined:
    'Ihre Zahlung wurde abgelehnt, und es hat sich nichts geändert. Bitte prüfen Sie Ihr Zahlungsmittel und versuchen Sie es dann erneut.',
  quoteExpired: 'Der Betrag kann sich geändert haben. Bitte prüfen und bestätigen Sie ihn erneut.',
  otherCurrency: 'Dieser Preis wird nicht in der Währung Ihres Abos verkauft.',
  fixedPlan: 'Der Tarif dieses Abos kann gerade nicht gewechselt werden.',
  cancelledPlan:
    'Ihr Abo ist gekündigt. Bitte nehmen Sie die Kündigung im Kundenportal des Zahlungsdienstes zurück, bevor Sie den Tarif wechseln.',

  cancel: 'Abo kündigen',
  cancelTitle: (label) => `${label} kündigen`,
  cancelText: (day) => `Das Abo verlängert sich dann nicht mehr. Sie behalten Ihren Zugang bis zum ${day}.`,
  cancelAtOnceText: 'Ihre Testphase und Ihr Zugang enden sofort. Es wird nichts berechnet.',
  whyCancel: 'Warum kündigen Sie?',
  reasons: {
    price: 'Es ist zu teuer',
    unused: 'Ich nutze es zu selten',
    missing: 'Mir fehlt etwas, das ich brauche',
    quality: 'Es funktioniert nicht gut',
    other: 'Etwas anderes',
  },
  cancellationComment: 'Möchten Sie uns mehr dazu sagen? (optional)',
  cancelNow: 'Jetzt kündigen',
  keepIt: 'Abo behalten',
  cancelled: 'Ihr Abo ist gekündigt und verlängert sich nicht mehr.',
  hasEnded: 'Ihr Abo und Ihr Zugang sind beendet.',
  stayPrice: (price, interval, count, then, day) =>
    `Ab ${day} zahlen Sie ${duration(interval, count)} lang ${price}, danach ${then}, bis Sie kündigen.`,
  stayPriceForEver: (price, day) => `Ab ${day} zahlen Sie ${price}, bis Sie kündigen.`,
  stayAt: (price) => `Für ${price} behalten`,
  stayHint: 'Heute wird nichts abgebucht.',
  stayed: 'Schön, dass Sie bleiben',
  stayedText: 'Ihr Abo läuft weiter. Es wurde nichts gekündigt.',
  otherDiscount:
    'Dieses Angebot lässt sich nicht hinzufügen: Ihr Abo hat bereits einen Rabatt, wird gerade geändert, oder die Zahlungsart lässt keinen zu.',
  beforeYouGo: 'Bevor Sie gehen',
  add: (label) => `${label} dazubuchen`,
  addHint: 'Sobald Sie bezahlt haben, wird für Ihr jetziges Abo nichts mehr abgebucht.',

  ticket: 'Support kontaktieren',
  subject: 'Betreff',
  message: 'Nachricht',
  images: 'Bilder (optional)',
  imagesHint: `Bis zu ${TICKET_FILES_LIMIT} Bilder (JPEG, PNG oder WebP), je höchstens ${TICKET_FILE_MEGABYTES} MB.`,
  imagesAgain: 'Ihr Text ist noch da. Bitte wählen Sie Ihre Bilder noch einmal aus.',
  send: 'Senden',
  ticketOpened: (id) => `Wir haben Ihre Nachricht (Nr. ${id}) erhalten und antworten per E-Mail.`,

  problem: 'Das hat nicht geklappt',
  notFound: 'Seite nicht gefunden',
  toFront: 'Zur Startseite',
  notFoundText: 'Prüfen Sie die Adresse, oder gehen Sie zur vorherigen Seite zurück.',
  failed: 'Bei uns ist etwas schiefgegangen. Bitte versuchen Sie es gleich noch einmal.',
  tryLater: (minutes) => `Zu viele Versuche. Bitte versuchen Sie es in ${waitText(minutes)} noch einmal.`,
  unavailable: 'Der Dienst ist vorübergehend nicht verfügbar. Bitte versuchen Sie es gleich noch einmal.',
  tryAgain: 'Erneut versuchen',
  processorUnavailable: 'Der Zahlungsdienst antwortet gerade nicht. Bitte versuchen Sie es gleich noch einmal.',
  processorRejected:
    'Der Zahlungsdienst hat die Anfrage abgelehnt. Wenn das noch einmal vorkommt, wenden Sie sich bitte an uns.',
  tooLarge: 'Ihre Eingabe ist zu lang. Bitte kürzen Sie sie.',
  outdated: 'Diese Seite war nicht mehr aktuell. Bitte versuchen Sie es noch einmal.',
  sessionEnded: 'Ihre Sitzung ist abgelaufen. Bitte melden Sie sich erneut an.',
  forged:
    'Diese Anfrage kam nicht von dieser Seite. Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.',
  activePurchase: 'Sie haben bereits einen aktiven Kauf. In Ihrem Konto können Sie ihn verwalten.',
  priceGone: 'Dieser Preis hat sich gerade geändert. Bitte wählen Sie noch einmal.',
  choosePrice: 'Bitte wählen Sie zuerst ein Angebot.',
  chooseReason: 'Bitte wählen Sie einen Grund.',
  alreadyCancelled: 'Dieses Abo ist bereits gekündigt.',
  noPortal: 'Der Zahlungsdienst bietet diese Seite nicht an. Bitte wenden Sie sich an uns.',
  wrongEmail: 'Bitte geben Sie eine gültige E-Mail-Adresse ein.',
  wrongCode: 'Dieser Code ist falsch oder abgelaufen. Bitte prüfen Sie ihn, oder fordern Sie einen neuen an.',
  captchaNeeded: 'Bitte bestätigen Sie, dass Sie ein Mensch sind, und fordern Sie dann erneut einen Code an.',
  captchaUnavailable:
    'Wir können gerade nicht prüfen, ob Sie ein Mensch sind. Bitte versuchen Sie es später noch einmal.',
  ticketMayBeOpen:
    'Wir wissen nicht, ob Ihre Nachricht angekommen ist. Bitte senden Sie sie nur dann noch einmal, wenn Sie keine Antwort erhalten.',
  ticketTexts:
    `Bitte geben Sie einen Betreff mit ${TICKET_SUBJECT_LENGTH.join(' bis ')} Zeichen ` +
    `und eine Nachricht mit höchstens ${TICKET_CONTENT_LENGTH[1].toLocaleString('de')} Zeichen ein.`,
  wrongImages: `Bitte wählen Sie höchstens ${TICKET_FILES_LIMIT} Bilder (JPEG, PNG oder WebP) mit je höchstens ${TICKET_FILE_MEGABYTES} MB.`,
}
