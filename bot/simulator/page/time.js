// Times as Slack shows them: in the reader's own zone and language, by Slack's date tokens.
// The present comes from the server, whose world may run faster than ours.

const LONGEST_WITHOUT_YEAR = 183 * 86400; // Slack leaves the year out within about six months
const world = { unix: Date.now() / 1000, speed: 1, heard: performance.now() };
const formatters = new Map();

export function setClock(unix, speed) {
  Object.assign(world, { unix, speed: speed ?? 1, heard: performance.now() });
}

export const worldNow = () => world.unix + ((performance.now() - world.heard) / 1000) * world.speed;
export const worldSpeed = () => world.speed;

function formatter(zone, options) {
  const key = `${zone.locale}|${zone.tz}|${JSON.stringify(options)}`;
  if (!formatters.has(key)) formatters.set(key, new Intl.DateTimeFormat(zone.locale, { timeZone: zone.tz, ...options }));
  return formatters.get(key);
}

const write = (unix, zone, options) => formatter(zone, options).format(new Date(unix * 1000));

// "2026-12-01": the calendar day in that zone; also Slack's {date_num}.
export function dayOf(unix, zone) {
  const parts = formatter({ ...zone, locale: "en-CA" }, { year: "numeric", month: "2-digit", day: "2-digit" }).formatToParts(new Date(unix * 1000));
  const get = (type) => parts.find((part) => part.type === type).value;
  return `${get("year")}-${get("month")}-${get("day")}`;
}

function daysApart(unix, zone) {
  return Math.round((Date.parse(dayOf(unix, zone)) - Date.parse(dayOf(worldNow(), zone))) / 86400000);
}

function ordinal(day) {
  const teens = day % 100 >= 11 && day % 100 <= 13;
  return `${day}${teens ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th")}`;
}

const english = (zone) => zone.locale.startsWith("en");

function writeDate(unix, zone, { month = "long", weekday } = {}) {
  const far = Math.abs(unix - worldNow()) > LONGEST_WITHOUT_YEAR;
  const options = { day: "numeric", month, ...(weekday && { weekday }), ...(far && { year: "numeric" }) };
  if (!english(zone)) return write(unix, zone, options);
  const day = Number(dayOf(unix, zone).slice(8));
  const parts = [weekday && write(unix, zone, { weekday }), `${write(unix, zone, { month })} ${month === "long" ? ordinal(day) : day}`];
  return [...parts, far && dayOf(unix, zone).slice(0, 4)].filter(Boolean).join(", ");
}

function relativeDay(unix, zone) {
  const apart = daysApart(unix, zone);
  return Math.abs(apart) <= 1 ? new Intl.RelativeTimeFormat(zone.locale, { numeric: "auto" }).format(apart, "day") : null;
}

export function ago(unix, zone) {
  const seconds = unix - worldNow();
  const relative = new Intl.RelativeTimeFormat(zone.locale, { numeric: "auto" });
  const size = Math.abs(seconds);
  if (size < 45) return relative.format(0, "second");
  for (const [unit, length, until] of [["minute", 60, 3600], ["hour", 3600, 86400], ["day", 86400, 2592000], ["month", 2592000, 31104000]]) {
    if (size < until) return relative.format(Math.sign(seconds) * Math.max(1, Math.round(size / length)), unit);
  }
  return relative.format(Math.round(seconds / 31536000), "year");
}

export const clockTime = (unix, zone) => write(unix, zone, { hour: "numeric", minute: "2-digit" });

const FIELDS = {
  date_num: dayOf,
  date: (unix, zone) => writeDate(unix, zone),
  date_short: (unix, zone) => writeDate(unix, zone, { month: "short" }),
  date_long: (unix, zone) => writeDate(unix, zone, { weekday: "long" }),
  date_pretty: (unix, zone) => relativeDay(unix, zone) ?? writeDate(unix, zone),
  date_short_pretty: (unix, zone) => relativeDay(unix, zone) ?? writeDate(unix, zone, { month: "short" }),
  date_long_pretty: (unix, zone) => relativeDay(unix, zone) ?? writeDate(unix, zone, { weekday: "long" }),
  time: clockTime,
  time_secs: (unix, zone) => write(unix, zone, { hour: "numeric", minute: "2-digit", second: "2-digit" }),
  ago,
};

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// Fills a format such as "{date_short_pretty} at {time}"; null when it names no known field.
export function writeToken(unix, format, zone) {
  if (!Number.isFinite(unix)) return null;
  let known = false;
  const text = format.replace(/\{(\w+)\}/g, (token, name) => {
    if (!FIELDS[name]) return token;
    known = true;
    return FIELDS[name](unix, zone);
  });
  return known ? text : null;
}

export function dayTitle(unix, zone) {
  return capital(relativeDay(unix, zone) ?? writeDate(unix, zone, { weekday: "long" }));
}

export function fullTime(unix, zone) {
  return `${capital(FIELDS.date_long_pretty(unix, zone))} ${english(zone) ? "at " : ""}${FIELDS.time_secs(unix, zone)}`;
}

// {ago} and "today" go stale on screen; called on a slow tick and after a change of person.
export function refreshTimes(root, zone) {
  root.querySelectorAll("time[data-format]").forEach((node) => {
    const text = writeToken(Number(node.dataset.unix), node.dataset.format, zone);
    const shown = node.dataset.capital ? capital(text) : text;
    if (node.textContent !== shown) node.textContent = shown;
  });
}

export { capital };
