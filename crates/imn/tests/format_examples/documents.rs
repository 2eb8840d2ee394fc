//! Documents with labels or ratings.

use imn::data::read_documents;

#[test]
fn documents_with_labels_and_stars() {
    let folder = tempfile::tempdir().unwrap();
    let labels = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        read_documents(&path)
            .unwrap()
            .map(|d| {
                d.map(|d| (d.label.short_name(), d.text, d.line))
                    .map_err(|e| e.to_string())
            })
            .collect::<Vec<_>>()
    };
    let tsv = labels(
        "a.tsv",
        "\u{FEFF}pos\tgood \"tea\"\tand more\r\n\r\nneg\tbad\r\n",
    );
    assert_eq!(
        tsv,
        [
            Ok(("pos", "good \"tea\"\tand more".to_owned(), 1)),
            Ok(("neg", "bad".to_owned(), 3))
        ]
    );
    let csv = labels("a.csv", "review,stars\n\"so, so\nreally\",3\nbad,1.0\n");
    assert_eq!(
        csv,
        [
            Ok(("neu", "so, so\nreally".to_owned(), 2)),
            Ok(("neg", "bad".to_owned(), 4))
        ]
    );
    let bad = labels("b.tsv", "pos\tgood\nmeh\tbad\npos\n");
    assert!(
        bad[1]
            .as_ref()
            .unwrap_err()
            .contains("b.tsv:2: \"meh\" is not a label")
    );
    assert!(bad[2].as_ref().unwrap_err().contains("b.tsv:3: 1 columns"));
}

#[test]
fn document_columns_are_identified_or_an_error() {
    use imn::data::{Field, read_documents, without_losses};
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str, drop: &[Field]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        without_losses(read_documents(&path).unwrap(), &path, drop)
            .map(|document| {
                document
                    .map(|document| document.text)
                    .map_err(|e| e.to_string())
            })
            .collect::<Result<Vec<String>, String>>()
    };
    assert_eq!(
        read("a.csv", "pos,warm bread\n", &[]).unwrap(),
        ["warm bread"]
    );
    assert_eq!(
        read("a.tsv", "neg\tcold\tbread\n", &[]).unwrap(),
        ["cold\tbread"]
    );
    // Which of three columns is the text?
    assert!(
        read("b.csv", "5,title,text\n", &[])
            .unwrap_err()
            .contains("b.csv:1")
    );
    assert!(
        read("b.tsv", "17\twarm bread\tpos\n", &[])
            .unwrap_err()
            .contains("name the columns")
    );
    // Reviews without labels are no documents.
    let unlabelled = read("d.csv", "id,written,text\n1,2024,warm bread\n", &[]).unwrap_err();
    assert!(unlabelled.contains("d.csv:1: no label column among `id`, `written`, `text`"));
    assert!(unlabelled.contains("imn analyze"));
    let named = "stars,id,text\n5,17,warm bread\n";
    assert!(
        read("c.csv", named, &[Field::Columns])
            .unwrap_err()
            .contains("--drop stars")
    );
    assert!(
        read("c.csv", named, &[Field::Stars])
            .unwrap_err()
            .contains("--drop columns")
    );
    assert_eq!(
        read("c.csv", named, &[Field::Stars, Field::Columns]).unwrap(),
        ["warm bread"]
    );
}
