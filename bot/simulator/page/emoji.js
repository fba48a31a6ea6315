// The short names people and bots use most, as Slack spells them. An unknown name stays ":name:".

const TABLE = `
red_circle 🔴|large_red_circle 🔴|large_orange_circle 🟠|orange_circle 🟠|large_yellow_circle 🟡|yellow_circle 🟡
large_green_circle 🟢|green_circle 🟢|large_blue_circle 🔵|blue_circle 🔵|large_purple_circle 🟣|large_brown_circle 🟤
white_circle ⚪|black_circle ⚫|red_square 🟥|large_red_square 🟥|large_orange_square 🟧|large_yellow_square 🟨
large_green_square 🟩|large_blue_square 🟦|large_purple_square 🟪|white_large_square ⬜|black_large_square ⬛|white_square_button 🔳
small_red_triangle 🔺|small_red_triangle_down 🔻|small_blue_diamond 🔹|small_orange_diamond 🔸|large_blue_diamond 🔷|large_orange_diamond 🔶
white_check_mark ✅|heavy_check_mark ✔️|ballot_box_with_check ☑️|x ❌|negative_squared_cross_mark ❎|heavy_multiplication_x ✖️
warning ⚠️|rotating_light 🚨|octagonal_sign 🛑|no_entry ⛔|no_entry_sign 🚫|construction 🚧|sos 🆘|bangbang ‼️|exclamation ❗|question ❓
grey_question ❔|grey_exclamation ❕|interrobang ⁉️|information_source ℹ️|mute 🔇|speaker 🔈|sound 🔉|loud_sound 🔊|bell 🔔|no_bell 🔕
mega 📣|loudspeaker 📢|eyes 👀|eye 👁️|hourglass ⌛|hourglass_flowing_sand ⏳|watch ⌚|alarm_clock ⏰|stopwatch ⏱️|timer_clock ⏲️
clock1 🕐|clock3 🕒|clock6 🕕|clock9 🕘|clock12 🕛|calendar 📅|date 📅|spiral_calendar_pad 🗓️|computer 💻|desktop_computer 🖥️
keyboard ⌨️|floppy_disk 💾|cd 💿|minidisc 💽|electric_plug 🔌|battery 🔋|satellite_antenna 📡|satellite 🛰️|globe_with_meridians 🌐
chart_with_upwards_trend 📈|chart_with_downwards_trend 📉|bar_chart 📊|clipboard 📋|memo 📝|pencil 📝|pencil2 ✏️|page_facing_up 📄
page_with_curl 📃|scroll 📜|bookmark_tabs 📑|file_folder 📁|open_file_folder 📂|card_index_dividers 🗂️|wastebasket 🗑️|package 📦
inbox_tray 📥|outbox_tray 📤|email 📧|envelope ✉️|incoming_envelope 📨|paperclip 📎|link 🔗|pushpin 📌|round_pushpin 📍|mag 🔍
mag_right 🔎|lock 🔒|unlock 🔓|closed_lock_with_key 🔐|key 🔑|shield 🛡️|wrench 🔧|hammer 🔨|hammer_and_wrench 🛠️|gear ⚙️|nut_and_bolt 🔩
link_slash ⛓️‍💥|chains ⛓️|fire 🔥|boom 💥|zap ⚡|snowflake ❄️|droplet 💧|thermometer 🌡️|dash 💨|cyclone 🌀|sunny ☀️|cloud ☁️
rain_cloud 🌧️|rocket 🚀|airplane ✈️|construction_worker 👷|robot_face 🤖|ghost 👻|skull 💀|bug 🐛|ant 🐜|turtle 🐢|snail 🐌|sloth 🦥
zzz 💤|sleeping 😴|tada 🎉|sparkles ✨|star ⭐|star2 🌟|dart 🎯|trophy 🏆|bulb 💡|wave 👋|+1 👍|thumbsup 👍|-1 👎|thumbsdown 👎
ok_hand 👌|raised_hands 🙌|clap 👏|pray 🙏|muscle 💪|point_right 👉|point_left 👈|point_up ☝️|point_down 👇|hand ✋|raised_hand ✋
heart ❤️|green_heart 💚|blue_heart 💙|yellow_heart 💛|100 💯|smile 😄|slightly_smiling_face 🙂|grinning 😀|joy 😂|thinking_face 🤔
neutral_face 😐|sweat_smile 😅|sob 😭|cry 😢|scream 😱|sunglasses 😎|face_with_monocle 🧐|shrug 🤷|salute 🫡|saluting_face 🫡|facepalm 🤦
bust_in_silhouette 👤|busts_in_silhouette 👥|arrow_up ⬆️|arrow_down ⬇️|arrow_left ⬅️|arrow_right ➡️|arrow_upper_right ↗️
arrow_lower_right ↘️|arrows_counterclockwise 🔄|repeat 🔁|leftwards_arrow_with_hook ↩️|arrow_forward ▶️|arrow_backward ◀️|fast_forward ⏩
black_square_for_stop ⏹️|double_vertical_bar ⏸️|pause_button ⏸️|stop_button ⏹️|eject ⏏️|record_button ⏺️|heavy_plus_sign ➕
heavy_minus_sign ➖|infinity ♾️|recycle ♻️|white_flag 🏳️|checkered_flag 🏁|triangular_flag_on_post 🚩|coffee ☕|pizza 🍕|beers 🍻
one 1️⃣|two 2️⃣|three 3️⃣|four 4️⃣|five 5️⃣|new 🆕|ok 🆗|up 🆙|free 🆓|vertical_traffic_light 🚦|traffic_light 🚥|fuelpump ⛽
moneybag 💰|money_with_wings 💸|credit_card 💳|crown 👑|door 🚪|broom 🧹|microscope 🔬|test_tube 🧪|dna 🧬|brain 🧠|ladder 🪜|anchor ⚓
`;

const EMOJI = new Map(TABLE.trim().split(/[|\n]/).map((entry) => {
  const at = entry.lastIndexOf(" ");
  return [entry.slice(0, at), entry.slice(at + 1)];
}));

export const emojiOf = (name) => EMOJI.get(name) ?? null;

export const emojiNames = (prefix) => [...EMOJI.keys()].filter((name) => name.startsWith(prefix));

// rich_text carries the code points in hex: "1f534" or "2764-fe0f".
export function emojiFromCodes(codes) {
  const points = codes.split("-").map((code) => Number.parseInt(code, 16));
  return points.every((point) => point > 0 && point <= 0x10ffff) ? String.fromCodePoint(...points) : null;
}
