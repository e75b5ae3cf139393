from plyscribe.service.database.engine import Database


def test_a_database_says_what_it_is(any_read_url):
    assert Database(any_read_url).ask().split()[0] in any_read_url
