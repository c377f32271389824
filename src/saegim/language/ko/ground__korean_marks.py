"""How Korean marks who does it, who is spoken of, and how a clause ends and is meant."""

from __future__ import annotations

from typing import Final

from saegim.memory.late import late

EDGE: Final = "()[]{}<>.!?~…:\"'`“”‘’「」『』《》ㅋㅎㅠㅜㅇ^*♡♥·-–—"
ME: Final = frozenset(
    str.split("""나는 난 내가 나도 나만 저는 전 제가 저도 저만 우리는 우리가 우린 우리도 저희는
    저희가 나 저 본인은 나야""")
)
DOUBTFUL_ME: Final = frozenset(str.split("전 난 저 나"))
TO_ME: Final = frozenset(
    str.split("나를 날 저를 절 나한테 저한테 나에게 저에게 내게 제게 나보고 저보고")
)
MINE: Final = frozenset(str.split("내 제 우리 저희 나의 저의 울"))
YOU: Final = frozenset(str.split("너 넌 너는 네가 니가 너도 당신 당신은 당신이 자네"))
# 누군가 stands for the I of someone who is quoted.
OTHERS: Final = frozenset(str.split("걔 얘 쟤 그 그녀 그분 걔네 애들 친구들 자기 누군가"))
FIRST_PERSON: Final = late(
    r"(?<![가-힣])(?:나는|난|내가|나도|저는|제가|저도|나|저|내|제|우리)(?![가-힣])"
)
SUBJECT: Final = frozenset(
    str.split("은 는 이 가 께서 께서는 도 이가 이는 이도 님은 님이 란 이란 들은 들이")
)
# 소라 님이: the name stands before it.
TITLED: Final = late("(?:님|씨)(이|은|가|는|도|께서)")
TOPIC: Final = frozenset(str.split("은 는 께서는 이는 님은 들은"))
WITH: Final = frozenset(str.split("와 과 랑 이랑 하고 와는 과는 랑은"))
LATIN: Final = late(r"([A-Za-z][A-Za-z0-9.+#-]*)(은|는|이|가|께서|도|의)?")
# After 저 these are pointed at: 저 사람.
POINTED_AT: Final = frozenset(
    str.split("사람 분 아이 애 친구 집 거 것 책 차 곳 때 건물 가게 쪽 날 정도")
)
PROPERTIES: Final = frozenset(
    str.split("이름 나이 생일 키 직업 성격 취미 전공 회사 학교 병 상태 건강")
)
NOT: Final = frozenset(str.split("않 못하 안되 안하 아니 없 맛없 재미없"))
DENYING: Final = late(
    r"싫|끊|그만[두둔둘둬뒀]|관[두둬뒀]|중단|퇴사|질색|혐오|불가능|금지|사양|별로[야다예였]"
)
NOT_DENYING: Final = late(
    r"(?:수밖에 |틀림|상관|문제|끊임|어쩔 수 |다름|빠짐|변함)없\S*|지 않나\S*|안녕\S*|안 그래도"
    r"|못지\S*|(?:비행기|기차|표|티켓|전화|버스|항공권)\S* 끊\S*|없이는?(?![가-힣])"
)
IS_NOT: Final = late(r"[가-힣](?:아니[야다에예라었고지]|아님$|아닌데$)")
CONNECTS: Final = late(
    r"(?:[는은인한던운큰쁜]데|지만|고|고서|며|면서|[가-힣]서|니까|길래|느라|다가|더니|거든|거든요|면|도록"
    r"|므로|라|러|려고|자마자|잖아)$"
)
# A sentence may end here without a mark; after 아 and 어 a verb may go on: 살아 있다.
FINAL: Final = late(r"(?:야|요|다|네|지|죠|거든|음|함|임|됨|줘|잖아|군|더라|니다|어|아|해)$")
MELTED: Final = late("(?:[어아해]|다)$")
# 이다 after a noun or a number: 중인데, 158이라.
COPULA: Final = late(
    r"[0-9A-Za-z%)가-힣](?:인데|이고|이라|이라서|이지만|이며|이면|이니까|입니다|이야|이다|예요|이에요|였어"
    r"|였다|이었|이래|임|이거든)$|[0-9A-Za-z%](?:라|라서|고|며|지만|야|다|면)$"
)
HELPS: Final = late(
    r"하더|하시|하고|라고|이라고|싶|있|않|못|말|마[라세]|계[시셔세]|나서|보니|다니|가지|좋겠|됩|된|될"
)
# The time of these is that of the clause after them.
TIMELESS: Final = late(r"(?:고|고서|[가-힣]서|다가|며|면서|러|려고|느라|면|자마자)$")
WAS: Final = late(r"[가-힣](?:였|이었)[가-힣]{1,3}$")
IF: Final = late(r"(?:[가-힣]면|더라도|든지|거나)$")
ASKED: Final = late(r"(?:까|까요|나요|니|냐|는지|은지|을지|던가|[은는인던]가요|을래|더라)$")
TAGGED: Final = late(r"(?:지|죠|잖아|잖아요|했나)$")
WISH: Final = late(r"싶[어다은네습지었]|싶$|원하|원해|원한|좋겠|바라|희망")
PLAN: Final = late(
    r"거야|거예요|겁니다|거임|것이다|예정|계획|작정|셈이|생각이야|려고|려구|으려|기로|[갈할을]게|겠어|겠다"
    r"|겠습|목표|야 (?:돼|되|됨|된|한|해|하|됩|합)"
)
ORDERS: Final = late(
    r"(?:줘|줘요|주세요|주라|줄래|줄래요|세요|십시오|해라|마라|마세요|말아|자|달라|바람|부탁해|부탁해요"
    r"|부탁드려요)$"
)
LIKES: Final = late(r"좋|선호|싫|편하|편해|낫|나아|질색|힘들|불편|정신없")
HEARD: Final = late(r"(?:[ㄴ가-힣]대|대요|래요|이래|다더라|다던데|라던데|다던)$")
HONOURS: Final = late(
    r"(?:셔|셔요|셨[가-힣]{1,3}|신다|시는|시더[가-힣]*|시고|십니다|계세요|계신[가-힣]*|시네요?)$"
)
# What one feels is the speaker's own where no one else is named.
FEELS: Final = late(
    r"수치|기[뻐쁘쁜]|슬[퍼프픈]|힘들|속상|무[서섭]|화[나가났]|짜증|행복|불안|걱정|우울|부[럽러]|외[롭로]"
    r"|서운|억울|뿌듯|싫|미안|고[맙마]|당황|놀[라랐]|답답|피곤|아쉬|아쉽|그[립리]|좋겠|싶"
)
WITHOUT: Final = late(
    r"((?:[가-힣]{1,12}[한진운은는인된] )?[가-힣A-Za-z0-9]{1,20})(?:[이가은는]? 없는"
    r"|[이가은는]? 안 들어간| ?없이는?| ?빼고| ?말고| 제외하고| 대신| (?:것|거|게|쪽)보다|보다)"
    r"(?:는|도)?(?![가-힣])"
)
# Before these a denied verb is what is said; before any other noun it only tells which one.
HOLLOW: Final = frozenset(
    str.split("것 거 게 건 걸 편 적 수 줄 중 데 듯 만큼 정도 때 상태 지 거야 거예요 점 모양 바")
)
MODIFIES: Final = late("[는은던을한된인]$")
MODIFIES_ALL: Final = late("(?:[는은던을한된]|[가-힣][준본온간산신쓴탄만든운])$")
FROM: Final = late(r"([가-힣A-Za-z0-9]{1,20}?)(?:에서|부터|한테서|에게서)(?![가-힣])")
TO: Final = late(r"([가-힣A-Za-z0-9]{1,20}?)(?:으로|로|까지|한테|에게)(?![가-힣])")
COUNTED: Final = late(r"[0-9]")
OPENS: Final = frozenset(
    str.split(
        "그래서 그래도 덕분에 때문에 근데 그런데 그러니까 아무튼 어쨌든 솔직히 참고로 하지만 그리고"
    )
)
